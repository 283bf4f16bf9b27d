set multiplot layout 1, 2
set xlabel 'time (s)'
set ylabel 'angle (rad)'
plot csv using 't':(2 * (column('frame.qw') * column('frame.qx') + column('frame.qy') * column('frame.qz'))) with lines title 'lean (sine of it)', '' using 't':'steer.angle' with lines title 'steer'
set key bottom right
set xlabel 'x (m)'
set ylabel 'y, to the right (m)'
plot csv using 'rear_wheel.x':'rear_wheel.y' with lines title 'rear wheel', '' using 'front_wheel.x':'front_wheel.y' with lines title 'front wheel'
