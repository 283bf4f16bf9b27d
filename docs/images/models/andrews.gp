set multiplot layout 1, 2
set xlabel 'time (s)'
set ylabel 'angle (rad)'
set key outside top center horizontal
plot for [name in 'gamma phi delta omega epsilon'] csv using 't':name.'.angle' with lines title name
set ylabel 'bearing B of K3 (N)'
plot csv using 't':'B.fx' with lines title 'horizontal', '' using 't':'B.fy' with lines title 'vertical'
