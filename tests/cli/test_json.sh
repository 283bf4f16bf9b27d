# The JSON of run and problems is valid and says what the CSV says.
. "$(dirname "$0")/support.sh"
csv=$work/result.csv

code 0 problems --json
valid_json
same "first problem" "$(json 0.name)" pendulum
same "its last parameter" "$(json 0.parameters.3.name)" x0
same "its outputs" "$(json 0.outputs)" "['x', 'y', 'vx', 'vy', 'lambda']"
count=$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))))' "$work/out")
code 0 problems
same "problems listed" "$(grep -c '^[a-z]' "$work/out")" "$count"
code 0 problems cube --json
same "one problem" "$(json 0.name)" cube
code 0 problems pendulum
prints 'x0'
prints 'lambda'

# Every problem runs with the defaults and is described correctly.
"$cardan" problems | awk '/^[a-z]/ { print $1 }' >"$work/names"
while read -r name; do
    code 0 run "$name" --json
    valid_json
    same "$name: problem" "$(json problem)" "$name"
    same "$name: method" "$(json method)" auto
    same "$name: start" "$(json start)" perturbed
    same "$name: family" "$(json params.family)" ch:0.8
    same "$name: status" "$(json status)" OK
    same "$name: end reached" "$(json state.t)" "$(json end)"
    same "$name: adaptive steps" "$(json tolerance.velocity.relative)" 0.0001
done <"$work/names"

code 0 run pendulum --json --set x0=0.1 --step 5e-3 --end 0.5 --method ga3 --rho 0.9 --out "$csv"
valid_json
same "set parameter" "$(json parameters.x0)" 0.1
same "default parameter" "$(json parameters.g)" 9.81
same "step" "$(json step)" 0.005
same "steps" "$(json statistics.steps)" 100
same "rows" "$(json output.rows)" 101
same "file" "$(json output.file)" "$csv"
# alpha_f = rho / (rho + 1) of Chung and Hulbert, ACB15 (52)
near "alpha_f" "$(json params.alpha_f)" "$(python3 -c 'print(0.9 / 1.9)')" 1e-16
for name in x y vx vy lambda; do
    near "end state $name" "$(json state.$name)" "$(column "$csv" $name | tail -1)" 0
done
near "phi_max" "$(json residuals.phi_max)" "$(column "$csv" phi_max | sort -g | tail -1)" 0
near "hidden_max" "$(json residuals.hidden_max)" "$(column "$csv" hidden_max | sort -g | tail -1)" 0
near "energy at the end" "$(json energy.end.total)" "$(column "$csv" energy | tail -1)" 0
near "largest energy deviation" "$(json energy.max_deviation)" "$(column "$csv" energy |
    python3 -c 'import sys; e = [float(x) for x in sys.stdin]; print(max(abs(x - e[0]) for x in e))')" 0

# Maxima are over all steps, also those without a row.
deviation=$(json energy.max_deviation)
code 0 run pendulum --json --set x0=0.1 --step 5e-3 --end 0.5 --method ga3 --rho 0.9 --every 1000
same "largest deviation without rows" "$(json energy.max_deviation)" "$deviation"

finish
