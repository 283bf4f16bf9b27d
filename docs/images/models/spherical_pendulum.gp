set multiplot layout 1, 2
set size ratio -1
set xlabel 'x (m)'
set ylabel 'y (m)'
plot csv using 'bob.x':'bob.y' with lines notitle
set size noratio
set xlabel 'time (s)'
set ylabel 'force of the rod on the bob (N)'
plot csv using 't':'rod.fx' with lines title 'x', '' using 't':'rod.fy' with lines title 'y', '' using 't':'rod.fz' with lines title 'z'
