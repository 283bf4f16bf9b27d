set multiplot layout 1, 2
set size ratio -1
set xlabel 'x (m)'
set ylabel 'y (m)'
plot csv using 'upper.x':'upper.y' with lines title 'upper', '' using 'lower.x':'lower.y' with lines title 'lower'
set size noratio
set xlabel 'time (s)'
set ylabel 'force in the shoulder (N)'
plot csv using 't':'shoulder.fx' with lines title 'horizontal', '' using 't':'shoulder.fy' with lines title 'vertical'
