set key outside right
set xlabel 'time (s)'
set ylabel 'torque of the motor (N m)'
plot for [i = 1 : 6] csv using 't':sprintf('axis_%d.mz', i) with lines title sprintf('axis %d', i)
