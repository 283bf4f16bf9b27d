set key left bottom
set multiplot layout 1, 2
set xlabel 'time (s)'
set ylabel 'height (m)'
plot for [i in '1 3 5 20'] csv using 't':'link'.i.'.y' with lines title 'link '.i
set key left top
set ylabel 'force that holds the chain (N)'
plot csv using 't':'pin1.fx' with lines title 'horizontal', '' using 't':'pin1.fy' with lines title 'vertical'
