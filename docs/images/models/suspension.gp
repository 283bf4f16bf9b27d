set xlabel 'time (s)'
set ylabel 'height above the start (mm)'
plot csv using 't':(1000 * column('road.z')) with lines linetype 6 title 'road', '' using 't':(1000 * (column('centre.z') - 0.3)) with lines linetype 2 title 'wheel', '' using 't':(1000 * (column('car.z') - 0.55)) with lines linetype 1 title 'car'
