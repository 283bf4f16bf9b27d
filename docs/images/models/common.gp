# Look of the pictures of models. Called by docs/images/make-model-pictures with `csv` and `svg`.
set terminal svg size 900, 400 background '#ffffff' font 'sans,14'
set output svg
set datafile separator ','
set grid linecolor rgb '#dddddd'
set border 3
set tics nomirror
set key reverse Left
set linetype 1 linewidth 2 linecolor rgb '#1f4e8c'
set linetype 2 linewidth 2 linecolor rgb '#d0472f'
set linetype 3 linewidth 2 linecolor rgb '#2a8f5b'
set linetype 4 linewidth 2 linecolor rgb '#8a5fbf'
set linetype 5 linewidth 2 linecolor rgb '#c28f00'
set linetype 6 linewidth 2 linecolor rgb '#555555'
