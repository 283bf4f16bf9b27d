# Guesses of multipliers and of joint forces at the start: which of two motions is taken.
. "$(dirname "$0")/support.sh"

# r = lambda + lambda^2 has lambda(0) = 1 and, with the same motion of y, -2.
lambda() {
    python3 -c "
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print(rows[0]['lambda'], rows[-1]['lambda'])" "$work/run.csv"
}
while read -r guess first final; do
    code 0 run load_branches --step 1e-2 --once --quiet --lambda0 "$guess" --out "$work/run.csv"
    read -r found end <<<"$(lambda)"
    near "lambda(0) from $guess" "$found" "$first" 1e-9
    near "lambda(2) from $guess" "$end" "$final" 1e-4
done <<'CASES'
1 1 1.454648713
-0.4 1 1.454648713
-0.6 -2 -2.454648713
-9 -2 -2.454648713
CASES
code 0 converge load_branches --set level=-2 --steps 1e-2,5e-3 --json
near "order of lambda" "$(json runs.1.orders.lambda)" 2 0.1
cubic="load_branches --set linear=0 --set quadratic=0 --set cubic=1 --lambda0 0"
# shellcheck disable=SC2086
code 0 converge $cubic --steps 1e-2,5e-3 --json
near "order of lambda, cubic" "$(json runs.1.orders.lambda)" 2 0.1
code 0 verify load_branches --set level=-2 --lambda0 -3

code 1 run load_branches --lambda0 -0.5 --out "$work/none.csv"
says "--lambda0"
code 2 run load_branches --lambda0 1,2
says "has 1 multiplier of this kind and 2 guesses are given"
code 2 run load_branches --psi0 1
says "has no multipliers of this kind"
code 2 run load_branches --lambda0 1,,2
says "entry 2"
code 2 run load_branches --lambda0 one
says "one"
code 2 run skate --psi0 1,2 --out "$work/none.csv"
says "give as many numbers"

# The rod of Painleve on a rail: forces of the rail g / 5.5 and -g / 0.5 (tests/model/test_guess.c).
cat >"$work/rod.yaml" <<'MODEL'
cardan: 1
gravity: [0, -9.81, 0]
bodies:
  - name: rod
    type: planar
    mass: 1
    inertia: [0.01, 0.3333333333333333, 0.3333333333333333]
    position: [=sqrt(0.5), =sqrt(0.5), 0]
    orientation: {axis: [0, 0, 1], angle: =pi/4}
    velocity: [1, 0, 0]
joints:
  - name: rail
    type: generic
    fixed: [ty]
    body2: rod
    body1: ground
    frame2: [-1, 0, 0]
    direction: tx
    friction: {coefficient: 2, transition: 1.0e-6}
    force_guess: [0, 1, 0]
solver: {end: 1.0e-3, start: acceleration}
MODEL
force() {
    python3 -c "
import csv, sys
print(list(csv.DictReader(open(sys.argv[1])))[0]['rail.fy'])" "$work/run.csv"
}
code 0 run "$work/rod.yaml" --once --quiet --out "$work/run.csv"
near "force of the rail" "$(force)" 1.783636364 1e-6
code 0 run "$work/rod.yaml" --once --quiet --set joints.rail.force_guess='[0, -1, 0]' --out "$work/run.csv"
near "the other force of the rail" "$(force)" -19.62 1e-6
# Of the two, the search finds the one of the same sign as the guess, not the nearest.
code 0 run "$work/rod.yaml" --once --quiet --set joints.rail.force_guess='[0, -0.5, 0]' --out "$work/run.csv"
near "the force of the same sign" "$(force)" -19.62 1e-6
# To the other side it has none: g / (2.5 - 3) for a force that presses, and friction is not singular.
code 1 check "$work/rod.yaml" --set bodies.rod.velocity='[-1, 0, 0]'
prints "Where the search for accelerations"
prints "Painleve"
code 2 run "$work/rod.yaml" --lambda0 1
says "force_guess"
code 2 run "$work/rod.yaml" --set joints.rail.force_guess='[0, 1]'
says "force_guess"
finish
