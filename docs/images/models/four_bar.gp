set multiplot layout 1, 2
set size ratio -1
set xlabel 'x (m)'
set ylabel 'y (m)'
plot csv using 'crank.x':'crank.y' with lines title 'middle of the crank', '' using 'coupler.x':'coupler.y' with lines title 'coupler', '' using 'rocker.x':'rocker.y' with lines title 'rocker'
set size noratio
set xlabel 'time (s)'
set ylabel 'bearing of the crank (N)'
plot csv using 't':'A.fx' with lines title 'horizontal', '' using 't':'A.fy' with lines title 'vertical'
