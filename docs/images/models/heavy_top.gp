set multiplot layout 1, 2
set size ratio -1
set xlabel 'x (m)'
set ylabel 'y (m)'
plot csv using 'top.x':'top.y' with lines notitle
set size noratio
set xlabel 'time (s)'
set ylabel 'force at the tip (N)'
plot csv using 't':'tip.fx' with lines title 'x', '' using 't':'tip.fy' with lines title 'y', '' using 't':'tip.fz' with lines title 'z'
