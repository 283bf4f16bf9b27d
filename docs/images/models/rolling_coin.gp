set multiplot layout 1, 2
set size ratio -1
set xlabel 'x (m)'
set ylabel 'y (m)'
plot csv using 'coin.x':'coin.y' with lines notitle
set size noratio
set xlabel 'time (s)'
set ylabel 'height of the centre (m)'
plot csv using 't':'coin.z' with lines notitle
