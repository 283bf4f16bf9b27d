set multiplot layout 1, 2
set xlabel 'time (s)'
set ylabel 'angle (rad)'
set yrange [-1 : 4]
plot csv using 't':'hinge_1.angle' with lines title 'hinges 1, 3, 5', '' using 't':'hinge_2.angle' with lines title 'hinges 2, 4, 6'
set yrange [*:*]
set xlabel 'x (m)'
set ylabel 'y (m)'
set zlabel 'z (m)'
set xtics 0.5
set ytics 0.2
set ztics 0.5
set view 65, 35
set border 4095
splot csv using 'corner.x':'corner.y':'corner.z' with lines title 'path of hinge 4'
