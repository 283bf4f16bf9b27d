set xlabel 'time (s)'
set ylabel 'top of the first crank (m)'
set xrange [0:0.7]
plot csv using 't':'B0.x' with lines title 'x', '' using 't':'B0.y' with lines title 'y'
