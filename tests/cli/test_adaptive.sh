# cardan run without --step: steps by the error, rows at accepted steps, statistics, refusals, failures.
. "$(dirname "$0")/support.sh"
csv=$work/adaptive.csv

code 0 run double_pendulum --rtol 1e-4 --out "$csv" --stats
silent
prints 'by rtol 0.0001, atol 1e-06'
prints 'rejected for their'
same "last row" "$(column "$csv" t | tail -1)" 2
same "first row" "$(column "$csv" t | head -1)" 0
steps=$(column "$csv" t | awk 'NR > 1 { print $1 - last } { last = $1 }' | sort -g)
below "steps vary" "$(echo "$steps" | head -1)" "$(echo "$steps" | tail -1 | awk '{ print $1 / 3 }')"
below "time runs forward" 0 "$(echo "$steps" | head -1)"

# The error falls like the tolerance: y2 at the end against the finest run.
for tol in 1e-3 1e-4 1e-7; do
    code 0 run double_pendulum --method ga2s --rtol $tol --json
    valid_json
    eval "y$((${tol#1e-}))=$(json state.y2)"
done
# shellcheck disable=SC2154
ratio=$(awk -v a="$y3" -v b="$y4" -v c="$y7" 'BEGIN { print (a - c) / (b - c) }')
near "error ratio of 1e-3 and 1e-4" "$ratio" 10 2

# Statistics in JSON.
code 0 run double_pendulum --json --out "$csv"
same "rows" "$(json output.rows)" "$(($(json statistics.steps) + 1))"
same "relative tolerance" "$(json tolerance.position.relative)" 0.0001
same "absolute tolerance" "$(json tolerance.multiplier.absolute)" 1e-06
near "mean step" "$(awk -v m="$(json statistics.mean_step)" -v n="$(json statistics.steps)" \
    'BEGIN { print m * n }')" 2 1e-5
below "smallest step" "$(json statistics.min_step)" "$(json statistics.max_step)"
below "rejected" "$(json statistics.rejected)" 5

# Every K-th row, and the last one exactly at the end.
code 0 run pendulum --rtol 1e-4 --every 50 --end 1.5 --out "$csv"
same "last of thinned rows" "$(column "$csv" t | tail -1)" 1.5
below "thinned rows" "$(column "$csv" t | wc -l)" 30

# All methods that can, and those that cannot.
code 0 run pendulum --step 1e-4 --json
y=$(json state.y)
for method in ga3 ga2s nonholonomic hht3; do
    code 0 run pendulum --method $method --rtol 1e-4 --json
    near "$method: y" "$(json state.y)" "$y" 1e-4
done
for method in ga2 ga1 hht2 conserving midpoint trapezoidal; do
    code 2 run pendulum --method $method --rtol 1e-4
    says 'it takes fixed steps only'
done

# Those take the problem's own step and say so; so does --project-at.
code 0 run pendulum --method ga2 --out "$csv"
prints '200 steps of 0.01, the recommended size; the method has no error control'
code 0 run pendulum --project velocity --project-at 1 --json
same "recommended step" "$(json step_recommended)" True

# One tolerance for all, or one for each class: loose multipliers cost nothing, fine ones do. (A few
# steps more or less come from another sequence of step sizes.)
steps() { code 0 run double_pendulum --method ga2s "$@" --json && json statistics.steps; }
all=$(steps --rtol 1e-4)
same "the default" "$(steps)" "$all"
same "atol by default" "$(steps --rtol 1e-4 --atol 1e-6)" "$all"
same "one for each class" "$(steps --rtol 1e-4,1e-4,1e-4 --atol 1e-6,1e-6,1e-6)" "$all"
below "fine multipliers" "$all" "$(steps --rtol 1e-4,1e-4,1e-7 | awk '{ print $1 / 5 }')"
below "loose multipliers" "$(steps --rtol 1e-4,1e-4,1e-1)" "$((all + all / 100))"
code 0 run double_pendulum --max-step 1e-3 --json
near "max step" "$(json statistics.max_step)" 1e-3 1e-15
code 1 run double_pendulum --min-step 0.05 --json
says 'times the tolerance in'

# Rounding limits ga3's multipliers, and the run says so; ga2s reaches the tolerance.
code 0 run pendulum --method ga3 --rtol 1e-8 --end 0.2 --json
says "the tolerance of joint forces is limited by rounding"
says 'use --method ga2s'
valid_json
code 0 run pendulum --method ga3 --rtol 1e-8,1e-8,1e-3 --atol 1e-10,1e-10,1e-3 --end 0.2 --json
silent
code 0 run pendulum --rtol 1e-8 --end 0.2 --json
silent

# --sample: equal times, the steps untouched; --stages at the steps.
code 0 run double_pendulum --json --out "$csv"
without=$(json statistics.steps)$(json state.y2)
code 0 run double_pendulum --json --sample 0.1 --out "$csv"
same "steps and end with --sample" "$(json statistics.steps)$(json state.y2)" "$without"
same "times" "$(column "$csv" t | awk '{ printf "%.10g ", $1 }')" \
    "$(seq 0 0.1 2 | awk '{ printf "%.10g ", $1 }')"
code 0 run jn2 --method hht3 --stages --end 0.2 --out "$csv"
same "first stages that are not at the begin of their step" "$(paste -d, <(column "$csv" t) \
    <(column "$csv" stage1_t) | awk -F, 'NR > 1 && ($2 - last) ^ 2 > 1e-24 { n++ } { last = $1 }
    END { print n + 0 }')" 0

code 2 run pendulum --rtol 1e-4 --step 1e-2
says '--step sets fixed steps'
code 2 run pendulum --max-step 1e-2 --step 1e-2
says '--step sets fixed steps'
code 2 run pendulum --rtol 0
says 'not positive'
code 2 run pendulum --rtol 1e-4,1e-4
says 'has 2 numbers; give one for all, or three'
code 2 run pendulum --min-step 1 --max-step 0.1
says '0 < min <= max'
code 2 run pendulum --rtol 1e-4 --project velocity --project-at 1
says '--project-at needs steps'

# Where equal steps fail, adaptive ones go on.
code 1 run double_pendulum --method ga3 --step 1 --end 5
code 0 run double_pendulum --method ga3 --rtol 1e-3 --end 5 --json
same "end" "$(json state.t)" 5.0

finish
