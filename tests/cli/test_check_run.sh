# How errors add up: motions that amplify them, or that have many periods, are not called good.
. "$(dirname "$0")/support.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

# A heavy pole on a light cart, and a top that spins a hundred times faster than it precesses.
cat >"$work/cart.yaml" <<'END'
cardan: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: cart, type: planar, mass: 1.0e-6, inertia: [1.0e-9, 1.0e-9, 1.0e-9]}
  - {name: pole, type: planar, mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.3, 0.4, 0],
     orientation: {axis: [0, 0, 1], angle: "=atan(4/3)"}}
joints:
  - {name: rail, type: prismatic, body1: ground, body2: cart, location: [0, 0, 0], axis: [1, 0, 0]}
  - {name: hinge, type: revolute, body1: cart, body2: pole, location: [0, 0, 0], axis: [0, 0, 1]}
solver: {end: 5}
END
cat >"$work/top.yaml" <<'END'
cardan: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: top, mass: 1, inertia: [0.002, 0.002, 0.001], position: ["=0.1*sin(0.3)", 0, "=0.1*cos(0.3)"],
     orientation: {axis: [0, 1, 0], angle: 0.3}, angular_velocity: ["=1000*sin(0.3)", 0, "=1000*cos(0.3)"]}
joints:
  - {name: tip, type: spherical, body1: ground, body2: top, location: [0, 0, 0]}
parameters: {unused: 1}
solver: {end: 1}
END
last() { column "$1" "$2" | tail -1; }

code 0 run "$work/cart.yaml" --method ga2s --out "$work/a.csv"
says "errors add up: by a second run at 100 times the tolerance"
code 0 run "$work/cart.yaml" --out "$work/a.csv"
says "errors add up: by a second run at 10 times the tolerance"
prints "verdict      doubtful"
code 1 run "$work/cart.yaml" --strict --out "$work/a.csv"
code 0 run "$work/cart.yaml" --once --out "$work/b.csv"
silent
prints "verdict      good"
same "rows of both" "$(cksum <"$work/a.csv")" "$(cksum <"$work/b.csv")"

# Warnings of the file come once. The error told is that of a run at a thousandth of the tolerance,
# within a factor of five.
code 0 run "$work/top.yaml" --rtol 1e-3 --out "$work/a.csv" --json
same "warnings" "$(grep -c "nothing uses" "$work/err")" 1
told=$(json check_run.error)
code 0 run "$work/top.yaml" --once --method rk5 --rtol 1e-6 --out "$work/b.csv"
error=$(for c in vx vy vz; do echo "$(last "$work/a.csv" top.$c) $(last "$work/b.csv" top.$c)"; done |
    awk '{ sum += ($1 - $2)^2 } END { print sqrt(sum) }')
size=$(column "$work/b.csv" top.vx | awk '{ if ($1 > m) m = $1 } END { print m }')
ratio=$(awk "BEGIN { print $told * 1e-3 * $size / $error }")
below "the error told, in those of the velocity at the end" "$ratio" 5
below "the error of the velocity at the end, in those told" "$(awk "BEGIN { print 1 / $ratio }")" 5

# Translations of the top have a tolerance of their own, not a thousandth of its spin: what comes
# together over the 160 turns of the run is a hundred times the tolerance, not all of the velocity.
# The errors of single runs scatter by some percent, so the mean of five tolerances counts.
last_velocity() {
    for c in vx vy vz; do last "$1" top.$c; done | tr '\n' ' '
}
code 0 run "$work/top.yaml" --once --method rk5 --rtol 1e-7 --out "$work/b.csv"
reference=$(last_velocity "$work/b.csv")
for rtol in 1e-3 7e-4 5e-4 3e-4 2e-4; do
    code 0 run "$work/top.yaml" --once --method ga2s --rtol $rtol --out "$work/a.csv"
    echo "$rtol $size $(last_velocity "$work/a.csv") $reference"
done >"$work/errors"
mean=$(awk '{ sum += log(sqrt(($3 - $6)^2 + ($4 - $7)^2 + ($5 - $8)^2) / ($1 * $2)) }
    END { print exp(sum / NR) }' "$work/errors")
same "runs of the mean" "$(wc -l <"$work/errors" | tr -d ' ')" 5
below "mean error of the velocity, in tolerances" "$mean" 100

# Equal steps are judged by steps of double length, those of rk5 by half of it.
code 0 run "$work/top.yaml" --step 2e-4 --out "$work/a.csv"
says "errors add up: by a second run in steps of 2 times the length"
code 0 run "$root/models/robot.yaml" --method rk5 --step 2e-3 --out "$work/a.csv"
prints "thousandths of the largest"
prints "verdict      good"

# A good run says how good, by the error and in equal steps; a rough one is compared with a finer one.
code 0 run "$root/models/robot.yaml" --rtol 1e-4 --out "$work/a.csv"
prints "errors       about"
prints "verdict      good"
code 0 run "$root/models/robot.yaml" --rtol 1e-2 --out "$work/a.csv"
prints "errors       about"
code 0 run pendulum --out "$work/a.csv"
prints "verdict      good"

# There is none of what cannot be made again.
same "estimates of a model from a pipe" "$(cat "$work/top.yaml" | "$cardan" run /dev/stdin --out "$work/a.csv" 2>/dev/null | grep -c "^errors")" 0

finish
