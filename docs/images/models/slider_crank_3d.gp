set multiplot layout 1, 2
set xlabel 'time (s)'
set ylabel 'slider (m)'
plot csv using 't':'slider.x' with lines notitle
set ylabel 'torque that turns the crank (N m)'
plot csv using 't':'bearing.mz' with lines notitle
