set multiplot layout 1, 2
set xlabel 'time (s)'
set ylabel 'slider (m)'
plot csv using 't':'slider.x' with lines notitle
set ylabel 'force of the slider on the rod (N)'
plot csv using 't':'eye.fx' with lines title 'eye.fx', '' using 't':'eye.fy' with lines title 'eye.fy'
