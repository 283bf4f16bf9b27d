set xlabel 'time (s)'
set ylabel 'force in the hinge (N)'
plot csv using 't':'hinge.fx' with lines title 'horizontal', '' using 't':'hinge.fy' with lines title 'vertical'
