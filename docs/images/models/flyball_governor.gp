set multiplot layout 1, 2
set xlabel 'time (s)'
set ylabel 'height of the slider (m)'
plot csv using 't':'slider.z' with lines notitle
set ylabel 'speed of the shaft (rad/s)'
plot csv using 't':'bearing.rate' with lines notitle
