# rk5 from the command line: its order, what it refuses, what it says about stiff systems, restarts.
. "$(dirname "$0")/support.sh"

code 0 converge driven_pendulum --method rk5 --steps 0.025,0.0125,0.00625 --json
for part in q v vdot lambda; do
    order=$(python3 -c '
import json, math, sys
runs = json.load(open(sys.argv[1]))["runs"]
errors = [run["errors"][sys.argv[2]] for run in runs]
print(math.log2(errors[0] / errors[2]) / 2)' "$work/out" $part)
    below "order of $part" 4.6 "$order"
done

code 0 run pendulum --method rk5 --out "$work/p.csv" --json
silent
below "steps" "$(json statistics.steps)" 60
same "stiff steps" "$(json statistics.stiff_steps)" 0
code 0 run heavy_top --method rk5 --sample 0.01 --end 0.2 --out "$work/top.csv"
same "rows" "$(wc -l <"$work/top.csv")" 22
below "constraints between the steps" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "phi_max") c = i }
    NR > 1 && $c > m { m = $c } END { print m + 0 }' "$work/top.csv")" 1e-4

# Options that mean nothing to it.
code 2 run pendulum --method rk5 --rho 0.9
says 'rk5 has no parameters'
code 2 run pendulum --method rk5 --stages
says 'belong to t'
for how in '--start plain' '--project both' '--start perturbed'; do
    code 0 run pendulum --method rk5 --step 0.02 $how --out "$work/same.csv" --json
    near "x with $how" "$(json state.x)" 0.18514898 1e-8
done

# Too long a step: in words, and everything up to there is written.
code 1 run pendulum --method rk5 --step 1.9 --end 19 --out "$work/long.csv"
says 'could not be drawn back onto the position constraints'
same "rows up to the failure" "$(wc -l <"$work/long.csv")" 2

# Tolerances that rounding does not allow: in words, too.
code 1 run heavy_top --method rk5 --rtol 1e-16 --atol 1e-18 --end 1e-3 --out "$work/fine.csv"
says 'about as small as rounding errors'
says 'loosen them to 1e-12'

# Evaluations, not iterations; commutators are in the method, whatever the update.
for update in exp magnus; do
    code 0 run heavy_top --method rk5 --step 0.002 --end 0.1 --update $update --out "$work/$update.csv"
    prints '6.00 evaluations a step'
done
same "update" "$(cmp "$work/exp.csv" "$work/magnus.csv" && echo same)" same

# A stiff system is recognised, and another method named only where it is cheaper (here ga2s takes 978
# steps where rk5 takes 155, and 900 where rk5 takes 1290).
code 0 run jn2 --method rk5 --set k=1e6 --set c=2000 --set omega0=1 --end 2 --out "$work/stiff.csv" --json
silent
[ "$(json statistics.stiff_steps)" -gt 50 ] || fail "$last: too few stiff steps"
code 0 run jn2 --method rk5 --set k=1e8 --set c=2e4 --set omega0=1 --end 2 --out "$work/stiff.csv"
says 'steps were held down by fast modes'
says 'ga2s'
code 0 run jn2 --method rk5 --out "$work/soft.csv"
silent

# A restart goes on bit for bit, with equal steps and with those by the error.
for steps in '--step 0.002' '--rtol 1e-6'; do
    code 0 run heavy_top --method rk5 $steps --end 0.2 --out "$work/whole.csv"
    code 0 run heavy_top --method rk5 $steps --end 0.2 --out "$work/part.csv" \
        --checkpoint "$work/part.check" --checkpoint-steps 20
    cp "$work/whole.csv" "$work/expected.csv"
    code 0 run --restart "$work/part.check"
    same "restart with $steps" "$(cmp "$work/part.csv" "$work/expected.csv" && echo same)" same
done

code 0 run --help
prints 'rk5'
code 0 converge --help
prints 'rk5'
finish
