# cardan run without a method: what the summary says, steps beside those of the methods by name,
# fixed steps, restarts, the second methods of verify, settings of a file.
. "$(dirname "$0")/support.sh"
models=$(cd "$(dirname "$0")/../../models" && pwd)

steps() { code 0 run "$@" --once --json && json statistics.steps; }

# Smooth motions are those of rk5, row for row.
for model in four_bar chain slider_crank suspension; do
    code 0 run "$models/$model.yaml" --rtol 1e-4 --once --out "$work/auto.csv"
    prints "method: rk5: nothing stiff"
    code 0 run "$models/$model.yaml" --rtol 1e-4 --once --method rk5 --out "$work/rk5.csv"
    same "$model" "$(cksum <"$work/auto.csv")" "$(cksum <"$work/rk5.csv")"
done
same "heavy_top" "$(steps heavy_top)" "$(steps heavy_top --method rk5)"

# The governor is stiff: about the steps of ga2s, and the sentence says since when and because of what.
code 0 run "$models/flyball_governor.yaml" --end 3 --once
grep -qE '^method: rk5 to t = [0-9.e-]+, then ga2s: stiff, a fast mode of velocity [0-9]+ .slider' "$work/out" ||
    fail "the change of the method is not told: $(grep '^method' "$work/out")"
ours=$(steps "$models/flyball_governor.yaml" --end 3)
below "steps of the governor" "$ours" "$(steps "$models/flyball_governor.yaml" --end 3 --method ga2s | awk '{ print 1.2 * $1 }')"
code 0 run "$models/flyball_governor.yaml" --end 3 --once --json
valid_json
same "method" "$(json method)" auto
same "method used" "$(json method_used | cut -c1-9)" "rk5 to t "

# Restarts before and after the change go on bit for bit.
for n in 20 400; do
    code 0 run "$models/flyball_governor.yaml" --end 0.5 --once --out "$work/whole.csv"
    code 0 run "$models/flyball_governor.yaml" --end 0.5 --once --out "$work/part.csv" \
        --checkpoint "$work/part.ckp" --checkpoint-steps $n
    code 0 run --restart "$work/part.ckp" --once
    prints "method: rk5 to t"
    same "restart after $n steps" "$(cksum <"$work/part.csv")" "$(cksum <"$work/whole.csv")"
done

# Named methods stay; fixed steps and projections are those of ga2s.
code 0 run "$models/flyball_governor.yaml" --end 0.1 --once --method rk5
grep -q '^method:' "$work/out" && fail "a method that was named needs no reason"
code 0 run double_pendulum --step 1e-3 --once --out "$work/auto.csv"
prints "double_pendulum by ga2s"
code 0 run double_pendulum --step 1e-3 --once --method ga2s --out "$work/ga2s.csv"
same "fixed steps" "$(cksum <"$work/auto.csv")" "$(cksum <"$work/ga2s.csv")"
code 0 run double_pendulum --project velocity --once
prints "method: ga2s: projections"

# A second method that the run has not used.
code 0 verify double_pendulum --quiet
prints "second   bdf by rtol"
code 0 verify "$models/flyball_governor.yaml" --end 0.3 --quiet
prints "second   bdf by rtol"

# A file may name it, and an option goes before the file.
{ cat "$models/double_pendulum.yaml" | grep -v '^solver:' && echo 'solver: {method: auto, end: 1}'; } >"$work/auto.yaml"
code 0 run "$work/auto.yaml" --once
prints "method: rk5"
code 0 run "$work/auto.yaml" --once --method ga2s
grep -q '^method:' "$work/out" && fail "the option does not go before the file"

finish
