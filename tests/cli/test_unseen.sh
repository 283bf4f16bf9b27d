# What estimates of the error cannot see: contacts that begin and end inside of a step, and
# constraints of velocities that repeat others at the start and contradict them later.
. "$(dirname "$0")/support.sh"

# A ball without air, thrown against a roof that gives back what it takes: it would fly 0.2 m through.
cat >"$work/roof.yaml" <<'END'
cardan: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], velocity: [1, 0, 9.9045444]}
forces:
  - {name: roof, type: contact, body1: ground, body2: ball, location: [0, 0, 4.9], axis: [0, 0, -1],
     point2: [0, 0, 0], radius: 0.1, stiffness: 1.0e5, exponent: 1.5}
solver: {end: 2}
END
# A rotor whose tip meets a stop, with less energy than it takes to get past: it turns back.
cat >"$work/stop.yaml" <<'END'
cardan: 1
gravity: [0, 0, 0]
bodies:
  - {name: rotor, mass: 2, inertia: [0.1, 0.1, 0.2]}
joints:
  - {name: H, type: revolute, body1: ground, body2: rotor, location: [0, 0, 0], axis: [0, 0, 1], rate: 3}
forces:
  - {name: stop, type: contact, body1: ground, body2: rotor, location: [0, 0.95, 0], axis: [0, -1, 0],
     point2: [1, 0, 0], stiffness: 1.0e5, exponent: 1.5}
solver: {end: 10}
END
last() { column "$1" "$2" | tail -1; }

# Where they are at the end was found by Runge-Kutta steps of 1e-5 in one coordinate.
for how in "ga2s 1e-4" "ga3 1e-4" "rk5 1e-4" "ga2s 1e-2" "ga2s 1e-6" "ga3 1e-6" "rk5 1e-8"; do
    set -- $how
    code 0 run "$work/roof.yaml" --method "$1" --rtol "$2" --out "$work/a.csv"
    near "height of the ball, $how" "$(last "$work/a.csv" ball.z)" -4.16134 "$(awk "BEGIN { print 1e-5 + 80 * $2 }")"
    code 0 run "$work/stop.yaml" --method "$1" --rtol "$2" --sample 0.01 --out "$work/a.csv"
    turned=$(column "$work/a.csv" H.angle | tail -n +2 | awk '$1 > 1.32 || $1 < -4.46' | wc -l)
    same "rows beyond the stop, $how" "$turned" 0
done

# Equal steps cannot be made shorter: the verdict says so.
code 1 run "$work/roof.yaml" --step 0.8 --end 1.6 --out "$work/a.csv"
says "passes through a contact"

# Two prescribed speeds that are equal, then not; a car whose front wheels are steered alike.
cat >"$work/speeds.yaml" <<'END'
cardan: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: a, mass: 2, inertia: [0.01, 0.01, 0.01]}
joints:
  - {name: S, type: prismatic, body1: ground, body2: a, location: [0, 0, 0], axis: [1, 0, 0]}
  - {name: T, type: speed, direction: tz, body1: ground, body2: a, location: [0, 0, 0], axis: [1, 0, 0],
     motion: {type: smooth_step, value: 0, end_value: 0.5, start: 1, end: 2}}
  - {name: U, type: speed, direction: tz, body1: ground, body2: a, location: [0, 0, 0], axis: [1, 0, 0],
     motion: {type: smooth_step, value: 0, end_value: $second, start: 1, end: 2}}
parameters: {second: 2}
solver: {end: 4}
END
for method in ga2s ga3 rk5; do
    code 1 run "$work/speeds.yaml" --method $method --out "$work/a.csv"
    says "wrong: at t = "
    says "velocities violate \`U.speed\` by 1.5"
    prints "verdict      wrong"
    code 0 run "$work/speeds.yaml" --method $method --set second=0.5 --out "$work/a.csv"
    prints "verdict      good"
done

# A rotor that is turned through the stop, by whatever moment it takes: the state has no error, but
# rows must show the moment. Found by ga2s, which resolves it.
cat >"$work/driven.yaml" <<'END'
cardan: 1
gravity: [0, 0, 0]
bodies:
  - {name: rotor, mass: 2, inertia: [0.1, 0.1, 0.2]}
joints:
  - {name: H, type: revolute, body1: ground, body2: rotor, location: [0, 0, 0], axis: [0, 0, 1],
     motion: {type: polynomial, coefficients: [0, 3]}}
forces:
  - {name: stop, type: contact, body1: ground, body2: rotor, location: [0, 0.95, 0], axis: [0, -1, 0],
     point2: [1, 0, 0], stiffness: 1.0e5, exponent: 1.5}
solver: {end: 10}
END
highest() { column "$1" "$2" | awk '{ x = $1 < 0 ? -$1 : $1; if (x > m) m = x } END { print m }'; }
code 0 run "$work/driven.yaml" --method ga2s --out "$work/a.csv"
code 0 run "$work/driven.yaml" --method rk5 --out "$work/b.csv"
near "moment by rk5" "$(highest "$work/b.csv" H.mz)" "$(highest "$work/a.csv" H.mz)" \
    "$(awk "BEGIN { print 0.2 * $(highest "$work/a.csv" H.mz) }")"

# Friction that follows constraints chosen from redundant ones: all methods have one motion, and say
# so where one of them goes over to other constraints on the way.
slider="$(dirname "$0")/../data/machines/rubbing_slider.yaml"
for method in rk5 ga2s; do
    code 0 run "$slider" --rtol 1e-5 --method $method --out "$work/$method.csv"
    says "but friction, e.g. in"
done
near "one motion by rk5 and ga2s" "$(column "$work/rk5.csv" b0.wz | tail -1)" \
    "$(column "$work/ga2s.csv" b0.wz | tail -1)" 1e-4
code 0 run "$slider" --rtol 1e-8 --method rk5 --out "$work/a.csv"
says "but friction, e.g. in"
says "friction in joints follows the loads of those chosen"
prints "verdict      doubtful"

# A rotor whose bodies all turn about the origin: gaps of rounding size are none.
code 0 run "$work/stop.yaml" --step 1e-3 --out "$work/a.csv"
prints "verdict      good"
finish
