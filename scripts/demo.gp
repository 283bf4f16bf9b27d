# Height and tip force of the heavy top. usage: gnuplot -e "csv = '...'; svg = '...'" demo.gp
set terminal svg size 900, 600 background '#ffffff' font 'sans,13'
set output svg
set datafile separator ','
set multiplot layout 2, 1
set grid
set ylabel 'height x_3 (m)'
plot csv using 't':'x3' with lines linewidth 2 notitle
set xlabel 't (s)'
set ylabel 'tip force λ_3 (N)'
plot csv using 't':'lambda3' with lines linewidth 2 notitle
