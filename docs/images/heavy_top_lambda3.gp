# The vertical tip force of the heavy top with the plain and with the perturbed start of GA3.
# usage: gnuplot -e "data = 'folder of the CSV files'; svg = 'file to write'" heavy_top_lambda3.gp
set terminal svg size 900, 420 background '#ffffff' font 'sans,14'
set output svg
set datafile separator ','
set grid linecolor rgb '#dddddd'
set border 3
set tics nomirror
set key bottom right reverse Left
set xlabel 'time (s)'
set ylabel 'vertical force at the tip, λ_3 (N)'
plot data . '/plain.csv' using 't':'lambda3' with lines linewidth 1.5 linecolor rgb '#d0472f' \
         title 'plain start: an oscillation that is not there', \
     data . '/perturbed.csv' using 't':'lambda3' with lines linewidth 2.5 linecolor rgb '#1f4e8c' \
         title 'start of Cardan: second order from the first step'
