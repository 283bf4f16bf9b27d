# cardan run --tol: steps by the error, rows at accepted steps, statistics, refusals, failures.
. "$(dirname "$0")/support.sh"
csv=$work/adaptive.csv

code 0 run double_pendulum --tol 1e-4 --out "$csv" --stats
silent
prints 'by tolerance 0.0001'
prints 'rejected for their'
same "last row" "$(column "$csv" t | tail -1)" 2
same "first row" "$(column "$csv" t | head -1)" 0
steps=$(column "$csv" t | awk 'NR > 1 { print $1 - last } { last = $1 }' | sort -g)
below "steps vary" "$(echo "$steps" | head -1)" "$(echo "$steps" | tail -1 | awk '{ print $1 / 3 }')"
below "time runs forward" 0 "$(echo "$steps" | head -1)"

# The error falls like the tolerance: y2 at the end against the finest run.
for tol in 1e-3 1e-4 1e-7; do
    code 0 run double_pendulum --tol $tol --json
    valid_json
    eval "y$((${tol#1e-}))=$(json state.y2)"
done
# shellcheck disable=SC2154
ratio=$(awk -v a="$y3" -v b="$y4" -v c="$y7" 'BEGIN { print (a - c) / (b - c) }')
near "error ratio of 1e-3 and 1e-4" "$ratio" 10 2

# Statistics in JSON.
code 0 run double_pendulum --tol 1e-4 --json --out "$csv"
same "rows" "$(json output.rows)" "$(($(json statistics.steps) + 1))"
same "tolerance" "$(json tolerance)" 0.0001
near "mean step" "$(awk -v m="$(json statistics.mean_step)" -v n="$(json statistics.steps)" \
    'BEGIN { print m * n }')" 2 1e-5
below "smallest step" "$(json statistics.min_step)" "$(json statistics.max_step)"
same "rejected" "$(json statistics.rejected)" 0

# Every K-th row, and the last one exactly at the end.
code 0 run pendulum --tol 1e-4 --every 50 --end 1.5 --out "$csv"
same "last of thinned rows" "$(column "$csv" t | tail -1)" 1.5
below "thinned rows" "$(column "$csv" t | wc -l)" 30

# All methods that can, and those that cannot.
code 0 run pendulum --step 1e-4 --json
y=$(json state.y)
for method in ga3 ga2s nonholonomic hht3; do
    code 0 run pendulum --method $method --tol 1e-4 --json
    near "$method: y" "$(json state.y)" "$y" 1e-4
done
for method in ga2 ga1 hht2 conserving midpoint trapezoidal; do
    code 2 run pendulum --method $method --tol 1e-4
    says 'it takes fixed steps only'
done
code 2 run pendulum --tol 1e-4 --step 1e-2
says '--tol chooses the steps itself'
code 2 run pendulum --tol 0
says 'not positive'
code 2 run pendulum --tol 1e-4 --project velocity --project-at 1
says '--project-at needs steps'

# Where equal steps fail, adaptive ones go on.
code 1 run double_pendulum --method ga3 --step 0.5 --end 5
code 0 run double_pendulum --method ga3 --tol 1e-3 --end 5 --json
same "end" "$(json state.t)" 5.0

finish
