# cardan verify: a run made a second way.
. "$(dirname "$0")/support.sh"

models=$(dirname "$0")/../../models

# A model at its own settings: another method, other coordinates, the same motion.
code 0 verify "$models/bricard.yaml" --rtol 1e-4 --end 2 --quiet
prints 'first    auto by rtol 0.0001, atol 1e-06'
prints 'second   bdf by rtol 1e-05, atol 1e-07'
prints 'form `se3`'
prints 'joint moment'
prints 'good: '

# Equal steps have a yardstick; short ones agree, long ones do not.
code 0 verify "$models/double_pendulum.yaml" --step 1e-3 --end 1 --json --quiet
silent
valid_json
same "verdict" "$(json verdict)" good
same "second method" "$(json second.method)" rk5
same "kinds" "$(json differences.4.kind)" 'joint force'
below "ratio" "$(json differences.4.ratio)" 1
code 1 verify "$models/double_pendulum.yaml" --step 0.05 --end 2 --json --quiet
same "verdict" "$(json verdict)" wrong
code 1 verify "$models/double_pendulum.yaml" --step 0.05 --end 2 --quiet
prints 'wrong: the two ways differ by'

# A method that keeps the acceleration constraint only drifts away.
code 1 verify pendulum --method ga1 --step 0.1 --end 20 --quiet
prints 'wrong: '

# Built-in problems, with events, nonholonomic, and by rk5 first.
code 0 verify heavy_top --end 0.3 --method rk5 --rtol 1e-4 --json --quiet
same "second method" "$(json second.method)" bdf
same "unknown" "$(json differences.0.element)" q
code 0 verify bouncing_pendulum --quiet
code 0 verify skate_trailer --quiet

# The difference is that of the results: the rows of run are no further apart.
code 0 verify pendulum --step 1e-2 --end 1 --json --quiet
largest=$(json differences.0.difference)
code 0 run pendulum --step 1e-2 --end 1 --out "$work/a.csv" --quiet
code 0 run pendulum --method rk5 --rtol 1e-10 --end 1 --out "$work/b.csv" --quiet
x=$(column "$work/a.csv" x | tail -1)
y=$(column "$work/b.csv" x | tail -1)
below "difference at the end" "$(awk -v a="$x" -v b="$y" 'BEGIN { d = a - b; if (d < 0) d = -d; print d }')" \
    "$(awk -v r="$largest" 'BEGIN { print 1.1 * r + 1e-5 }')"

# A run that stops is said to, with its sentence: a slider pulls two rods longer than they are.
cat >"$work/stops.yaml" <<'END'
cardan: 1
name: stops
gravity: [0, -9.81, 0]
bodies:
  - {name: slider, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
  - {name: ball, type: point, mass: 1, position: [0.5, 0.8, 0]}
joints:
  - {name: way, type: prismatic, body1: ground, body2: slider, location: [1, 0, 0], axis: [1, 0, 0],
     motion: {type: polynomial, coefficients: [0, 1]}}
  - {name: rod_1, type: distance, body1: ground, body2: ball, point1: [0, 0, 0], point2: [0.5, 0.8, 0]}
  - {name: rod_2, type: distance, body1: slider, body2: ball, point1: [1, 0, 0], point2: [0.5, 0.8, 0]}
solver: {rtol: 1.0e-3, end: 2}
END
code 1 verify "$work/stops.yaml" --quiet
prints 'wrong: the run itself stops at t = 0.'
code 1 verify "$work/stops.yaml" --quiet --json
same "verdict" "$(json verdict)" wrong
code 0 verify "$work/stops.yaml" --quiet --end 0.5

# Bad input.
code 2 verify
says 'no problem is named'
code 2 verify nonsense
code 2 verify pendulum --step 0.01 --rtol 1e-3
says 'leave it out'
code 2 verify pendulum --end 0
says 'give a later end'
finish
