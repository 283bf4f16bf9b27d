set multiplot layout 1, 2
set size ratio -1
set xtics 0.1
set ytics 0.1
set xlabel 'x (m)'
set ylabel 'y (m)'
plot csv using 'weight.x':'weight.y' with lines notitle
set size noratio
set xtics autofreq
set ytics autofreq
set xlabel 'time (s)'
set ylabel 'height of the weight (m)'
plot csv using 't':'weight.z' with lines notitle
