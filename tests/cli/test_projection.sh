# Projections and the energy balance from the command line.
. "$(dirname "$0")/support.sh"
csv=$work/result.csv
two="run two_particles --method conserving --step 0.1 --project velocity"

# The energy balance's columns, and that they add up in every row.
code 0 run heavy_top --method ga2 --project both --energy-balance --end 0.1 --out "$csv"
silent
same "last columns" "$(head -1 "$csv" | awk -F, '{ print $(NF-3), $(NF-2), $(NF-1), $NF }')" \
    "energy work dE_i dE_p"
below "position residual" "$(column "$csv" phi_max | sort -g | tail -1)" 1e-14
below "what the energy balance lacks" "$(awk -F, 'NR == 2 { e = $(NF-3) } NR > 1 {
    d = $(NF-3) - e - $(NF-2) - $(NF-1) - $NF; if (d < 0) d = -d; if (d > m) m = d }
    END { printf "%.3g", m }' "$csv")" 1e-10

# GO10 Sec. 6 through the options.
code 0 $two --projection-solver penalty:1 --end 50 --json --energy-balance
valid_json
near "energy with A = M" "$(json energy.end.total)" 0.37 0.0025
near "dE_p" "$(json energy_balance.dE_p)" -0.13 0.0025
code 0 $two --projection diag:15,1 --projection-solver penalty:20 --end 10 --json
near "energy with A = diag(15, 1)" "$(json energy.end.total)" 0.67 0.005
printf '15 0\n0, 1\n' >"$work/a.txt"
code 0 $two --projection "matrix:$work/a.txt" --projection-solver penalty:20 --end 10 --json
near "the same matrix from a file" "$(json energy.end.total)" 0.67 0.005

# Any matrix on a model, also one that couples bodies; the constraints hold to rounding.
models=$(dirname "$0")/../../models
for size in 9 48; do
    awk -v n=$size 'BEGIN { for (i = 0; i < n; i++) for (j = 0; j < n; j++)
        printf "%g%s", i == j ? 3 : 0.3 / (1 + (i > j ? i - j : j - i)), j < n - 1 ? " " : "\n" }' \
        >"$work/full.txt"
    model=$models/four_bar.yaml
    [ $size = 9 ] || model=$work/chain.yaml
    [ $size = 9 ] || code 0 generate chain --n 8 --out "$model"
    code 0 run "$model" --once --method ga2 --step 1e-3 --end 0.2 --project both \
        --projection "matrix:$work/full.txt" --out "$csv"
    below "position residual of $size velocities" "$(column "$csv" phi_max | sort -g | tail -1)" 1e-13
    code 0 check "$model" --projection "matrix:$work/full.txt" --json
    valid_json
done

# The tangent norm: without springs and dampers it is the mass norm; a model with both is judged,
# and takes what its file says.
code 0 $two --projection tangent --projection-solver penalty:1 --end 50 --json
near "A = M where there are no forces" "$(json energy.end.total)" 0.37 0.0025
code 0 check "$models/suspension.yaml" --projection tangent --json
same "verdict on tangent" "$(json projections.2.case) $(json projections.2.can_add_energy)" "2 True"
run="run $models/suspension.yaml --once --method ga3 --step 2e-3 --end 0.1"
code 0 $run --project both --projection tangent --acceleration-projection identity --json
both=$(json state)
code 0 $run --project both --projection tangent:1e-3,1e-6 --acceleration-projection identity --json
same "h/2 and h^2/4" "$both" "$(json state)"
cat >"$work/projected.yaml" <<END
cardan: 1
include: $models/suspension.yaml
solver: {project: both, projection: tangent, project_acceleration: identity}
END
code 0 run "$work/projected.yaml" --once --method ga3 --step 2e-3 --end 0.1 --json
same "the same from a file" "$both" "$(json state)"
code 0 $run --project both --projection tangent --project-acceleration --json
[ "$both" != "$(json state)" ] || fail "the norm of accelerations changes nothing"

# One projection at 0.7: order 1 to zero, order 2 settled.
top="converge heavy_top --method ga3 --rho 0.9 --steps 5e-4,2.5e-4 --project-at 0.7 --json"
code 0 $top
near "order to zero" "$(json runs.1.orders.lambda)" 1 0.1
code 0 $top --project-target settled
near "order, settled" "$(json runs.1.orders.lambda)" 2 0.05

# Accelerations, GO10 (6), (7): after a plain start lambda of ga3 is of order 1, and of order 2 where
# v' and lambda are put on the constraints at acceleration level after every step.
plain="converge pendulum --set x0=0.2 --method ga3 --rho 0.9 --start plain --steps 0.01,0.005 --json"
code 0 $plain
near "order with a plain start" "$(json runs.1.orders.lambda)" 1 0.05
code 0 $plain --project-acceleration
near "order with accelerations projected" "$(json runs.1.orders.lambda)" 2 0.05
code 0 run pendulum --project-acceleration --projection identity --end 0.1 --json
code 0 run pendulum --project-acceleration --project-at 0.05 --end 0.1 --json

# Refusals.
code 2 run pendulum --project sideways
says "unknown projection \`sideways\`"
code 2 run pendulum --projection identity
says "add --project"
code 2 run pendulum --project velocity --projection diag:1,2,3
says "the problem has 2 velocities and needs 2"
code 2 run pendulum --project velocity --projection diag:1,-2
says "not positive"
printf '1 2\n2 1\n' >"$work/a.txt"
code 2 run pendulum --project velocity --projection "matrix:$work/a.txt"
says "not positive definite"
printf '1 2\nx 1\n' >"$work/a.txt"
code 2 run pendulum --project velocity --projection "matrix:$work/a.txt"
says "not a number after 2 numbers"
code 2 run pendulum --project velocity --projection matrix:/nowhere
says "cannot read"
code 2 run pendulum --project velocity --projection tangent:1
says "are not weights of damping and stiffness"
code 2 run pendulum --project velocity --projection tangent:0,-1
says "are not weights of damping and stiffness"
code 2 run pendulum --project velocity --acceleration-projection diag:1
says "--acceleration-projection: 1 numbers are given; the problem has 2 velocities and needs 2"
code 2 run pendulum --project velocity --acceleration-projection round
says "is not a norm"
code 1 run "$models/slider_crank.yaml" --once --method ga2 --step 1e-3 --end 0.1 --project both \
    --projection tangent
says "is not positive definite at t = 0.001, as velocity 2 (crank.vy) shows"
code 2 check "$models/slider_crank.yaml" --projection tangent
says "a spring has a negative stiffness there"
code 2 run pendulum --project velocity --projection-solver penalty:0
says "not positive"
code 2 run pendulum --project velocity --projection-solver fast
says "is not a solver"
code 2 run pendulum --project-at 0.00123
says "no step of"
finish
