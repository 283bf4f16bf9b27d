# cardan workprec: errors and costs agree with converge and run, orders, references, IDA, files,
# refusals.
. "$(dirname "$0")/support.sh"

code 0 workprec pendulum --methods ga2s,ga3 --steps 2e-2,1e-2 --rtols 1e-4,1e-5 --json --repeat 1 \
    --plot "$work/p.svg" --csv "$work/p.csv"
silent
valid_json
cp "$work/out" "$work/study"
same "end" "$(json end)" 2.0
same "first" "$(json runs.0.method) $(json runs.0.adaptive) $(json runs.0.step)" "ga2s False 0.02"
same "third" "$(json runs.2.method) $(json runs.2.adaptive) $(json runs.2.rtol)" "ga2s True 0.0001"
same "fifth" "$(json runs.4.method) $(json runs.4.step)" "ga3 0.02"
q=$(json runs.1.errors.q)
lambda=$(json runs.1.errors.lambda)
residuals=$(json runs.1.evaluations)
factors=$(json runs.1.factorizations)
ida=$(json ida)
python3 - "$work/study" >"$work/wrong" <<'P'
import json, sys
runs = json.load(open(sys.argv[1]))["runs"]
for i in (0, 4):
    for quantity in ("q", "v", "lambda"):
        ratio = runs[i]["errors"][quantity] / runs[i + 1]["errors"][quantity]
        if not 3.8 < ratio < 4.2: # second order
            print("h", i, quantity, ratio)
        ratio = runs[i + 2]["errors"][quantity] / runs[i + 3]["errors"][quantity]
        if not 6 < ratio < 15: # proportional to the tolerance
            print("tol", i, quantity, ratio)
for run in runs:
    if not (run["seconds"] > 0 and run["steps"] > 0 and run["iterations"] >= run["steps"]):
        print(run)
P
same "orders" "$(cat "$work/wrong")" ""

code 0 converge pendulum --method ga2s --steps 1e-2 --norm end --json
near "q as in converge" "$(json runs.0.errors.q)" "$q" 0
near "lambda as in converge" "$(json runs.0.errors.lambda)" "$lambda" 0
code 0 run pendulum --method ga2s --step 1e-2 --json
same "evaluations as in run" "$(json statistics.residuals)" "$residuals"
same "factorizations as in run" "$(json statistics.factorizations)" "$factors"

# The files.
same "CSV rows" "$(($(wc -l <"$work/p.csv") - 1))" "$(grep -c '"method"' "$work/study")"
near "CSV: q" "$(column "$work/p.csv" q | sed -n 2p)" "$q" 0
python3 - "$work/p.svg" >"$work/svg" <<'P'
import sys, xml.etree.ElementTree as tree
text = "".join(tree.parse(sys.argv[1]).getroot().itertext())
print(all(word in text for word in ("error of q", "error of v", "error of lambda", "time (s)",
                                    "ga3, adaptive", "ga2s, fixed steps")))
P
same "SVG" "$(cat "$work/svg")" True
same "legends of all panels: names told twice" \
    "$(grep -o '>[a-z0-9]*, \(adaptive\|fixed steps\)<' "$work/p.svg" | sort | uniq -d | wc -l)" 0
code 1 workprec pendulum --steps 1e-2 --repeat 1 --plot "$work/none/p.svg"
says 'cannot write'
code 1 workprec pendulum --steps 1e-2 --repeat 1 --csv "$work/none/p.csv"
says 'cannot write'

# Tables.
code 0 workprec pendulum --steps 2e-2,1e-2 --repeat 1 --cost evaluations
silent
prints 'reference: equation of the angle'
prints 'ga2s         h 0.01'
prints 'evaluations at equal errors'
code 0 workprec rolling_disk --methods nonholonomic --steps 2e-2,1e-2 --repeat 1
prints 'psi'
code 0 workprec pendulum --methods ga2s,midpoint --steps 2e-2 --rtols 1e-3 --repeat 1
prints 'midpoint: no parameters, perturbed start; it takes fixed steps only'

# The largest error is that of converge.
code 0 workprec pendulum --methods ga3 --steps 1e-2 --norm max --repeat 1 --json
largest=$(json runs.0.errors.q)
code 0 converge pendulum --method ga3 --steps 1e-2 --json
near "largest q" "$(json runs.0.errors.q)" "$largest" 0

# A computed reference agrees with the problem's own.
code 0 workprec jn2 --methods ga3 --steps 4e-3 --repeat 1 --json
own=$(json runs.0.errors.q)
code 0 workprec jn2 --methods ga3 --steps 4e-3 --repeat 1 --json --ref hht3:2e-4
same "reference" "$(json reference)" 'computed by hht3 (hht:-0.1) with fixed steps of 0.0002'
near "error against it" "$(json runs.0.errors.q)" "$own" "$(awk -v x="$own" 'BEGIN { print x / 50 }')"
code 0 workprec pendulum --methods ga3 --steps 2e-2 --repeat 1 --json --ref ga2s
same "default step" "$(json reference)" 'computed by ga2s (ch:0.8) with fixed steps of 0.0005'

# IDA, if the program has it.
if [ "$ida" != null ]; then
    code 0 workprec heavy_top --methods ga3 --rtols 1e-4,1e-6 --end 0.2 --repeat 1 --json
    same "solver" "$(json runs.2.method) $(json runs.2.rtol)" "ida 0.0001"
    for quantity in q v lambda; do
        below "ida: $quantity" "$(json runs.3.errors.$quantity)" \
            "$(json runs.2.errors.$quantity | awk '{ print $1 / 10 }')"
    done
    same "analytic Jacobian" "$(json runs.3.differences)" 0
    code 0 workprec heavy_top_se3 --methods ga3 --rtols 1e-4 --end 0.1 --repeat 1 --json
    below "difference quotients on SE(3)" 0 "$(json runs.1.differences)"
    code 0 workprec pendulum --methods ga3 --rtols 1e-4 --repeat 1
    prints 'stabilised index-2 form'
    prints 'ida          rtol 0.0001'
else
    echo "built without SUNDIALS: the checks of IDA are skipped"
fi
code 0 workprec pendulum --methods ga3 --rtols 1e-4 --repeat 1 --no-ida --json
same "without IDA" "$(grep -c '"method": "ida"' "$work/out")" 0

# A run that fails has its reason in its row; the others are there.
code 1 workprec double_pendulum --methods ga3 --steps 1,1e-2 --end 5 --repeat 1
says 'a run failed; its row says why'
prints 'failed at t = '
prints 'ga3          h 0.01'

# Refusals.
refused() { # TEXT ARGUMENTS...
    local text=$1
    shift
    code 2 workprec "$@"
    says "$text"
}
refused 'no problem is named'
refused 'did you mean `pendulum`' pendulun
refused 'unknown method `ga4`' pendulum --methods ga3,ga4
refused 'named twice' pendulum --methods ga3,ga3
refused 'the list is empty' pendulum --methods ''
refused 'at most 7 methods' pendulum \
    --methods ga3,ga2s,ga2,ga1,hht3,midpoint,trapezoidal,nonholonomic
refused '--steps' pendulum --steps 1e-2,x
refused '--rtols' pendulum --rtols -1
refused 'is one of the methods' pendulum --methods ga3 --ref ga3
refused 'at the end only' pendulum --methods ga3 --ref ga2s --norm max
refused 'unknown method' pendulum --ref nothing
refused 'takes fixed steps only' pendulum --methods midpoint --rtols 1e-3
refused 'is not after the start' pendulum --end 0
refused 'hht' heavy_top --methods hht
refused 'is empty' pendulum --plot ''
refused 'unknown cost' pendulum --cost money
code 0 workprec --help
prints '--rtols R1,R2'
prints 'examples:'
finish
