# cardan check FILE: freedom, redundant constraints by name, assembly, unused parts, units, JSON.
. "$(dirname "$0")/support.sh"

cat >"$work/door.yaml" <<'END'
cardan: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: leaf, mass: 20, inertia: [6, 7, 1.2], position: [0.4, 0, 1]}
joints:
  - {name: hinge_a, type: revolute, body1: ground, body2: leaf, location: [0, 0, 0.5], axis: [0, 0, 1], rate: 1}
  - {name: hinge_b, type: revolute, body1: ground, body2: leaf, location: [0, 0, 1.5], axis: [0, 0, 1]}
solver: {end: 0.1, step: 1.0e-2}
END
code 0 check "$work/door.yaml"
silent
prints "1 degree of freedom, 5 redundant constraints"
tr -s ' \n' '  ' <"$work/out" >"$work/flat"
checks=$((checks + 1))
grep -q 'joint `hinge_b`: displacement along x, y and z, rotation about x and y repeat `hinge_a`' "$work/flat" ||
    fail "redundant rows by joint and direction"
prints "The model is sound."
same "widest line fits" "$(awk 'NR > 1 && length > 80' "$work/out" | wc -l)" 0
code 0 check "$work/door.yaml" --json
valid_json
same "freedom" "$(json model.degrees_of_freedom)" 1
same "redundant" "$(json model.redundant)" 5

# It runs, says so once, and each hinge carries half the weight.
code 0 run "$work/door.yaml" --out "$work/door.csv"
says "joint forces are the least-squares distribution"
checks=$((checks + 1))
python3 - "$work/door.csv" <<'END' || fail "half the weight each"
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    for hinge in ('hinge_a', 'hinge_b'):
        assert abs(float(row[hinge + '.fz']) - 20 * 9.81 / 2) < 1e-6, row
    assert abs(float(row['hinge_a.rate']) - 1) < 1e-6
END
code 0 run "$work/door.yaml" --out "$work/door.csv" --quiet
silent

# A four-bar by frames with a rough guess: assembled, and told.
cat >"$work/fourbar.yaml" <<'END'
cardan: 1
gravity: [0, -9.81, 0]
parameters: {error: 0.05, ground: 2}
bodies:
  - {name: crank, mass: 1, inertia: [2.0e-3, 0.084, 0.084], position: [=error, 0.5, 0], orientation: {axis: [0, 0, 1], angle: 1.57}}
  - {name: coupler, mass: 2, inertia: [3.0e-3, 0.67, 0.67], position: [1, 1.3, 0], orientation: {axis: [0, 0, 1], angle: 0.5}}
  - {name: rocker, mass: 2, inertia: [3.0e-3, 0.67, 0.67], position: [1.9, 1, 0], orientation: {axis: [0, 0, 1], angle: 1.7}}
joints:
  - {name: a, type: revolute, body1: ground, body2: crank, frame1: {}, frame2: {position: [-0.5, 0, 0]}}
  - {name: b, type: revolute, body1: crank, body2: coupler, frame1: {position: [0.5, 0, 0]}, frame2: {position: [-1, 0, 0]}}
  - {name: c, type: revolute, body1: coupler, body2: rocker, frame1: {position: [1, 0, 0]}, frame2: {position: [1, 0, 0]}}
  - {name: d, type: revolute, body1: ground, body2: rocker, frame1: {position: [=ground, 0, 0]}, frame2: {position: [-1, 0, 0]}}
solver: {end: 0.1, step: 1.0e-3}
END
code 0 check "$work/fourbar.yaml"
prints "moved: assembly moves 3 bodies"
prints "1 degree of freedom, 3 redundant constraints"
prints "The model is sound."
# Too far apart: every joint is named with what remains.
code 2 check "$work/fourbar.yaml" --set ground=9
says "cannot be assembled"
says 'joint `a` by'
code 2 run "$work/fourbar.yaml" --set ground=9
says 'joint `d` by'

# A parallelogram next to its flat position.
sed -e 's/angle: 1.57}/angle: 0.02}/; s/angle: 0.5}/angle: 0}/; s/angle: 1.7}/angle: 0.02}/' \
    -e 's/position: \[=error, 0.5, 0\]/position: [0.5, 0.01, 0]/; s/position: \[1, 1.3, 0\]/position: [2, 0.02, 0]/' \
    -e 's/position: \[1.9, 1, 0\]/position: [2.5, 0.01, 0]/' \
    -e 's/frame1: {position: \[1, 0, 0\]}, frame2: {position: \[1, 0, 0\]}/frame1: {position: [1, 0, 0]}, frame2: {position: [0.5, 0, 0]}/' \
    -e 's/frame2: {position: \[-1, 0, 0\]}}$/frame2: {position: [-0.5, 0, 0]}}/' "$work/fourbar.yaml" |
    sed -e '/name: b/s/frame2: {position: \[-0.5, 0, 0\]}/frame2: {position: [-1, 0, 0]}/' >"$work/flat.yaml"
code 0 check "$work/flat.yaml"
prints "singular: a singular configuration seems near"

# What smells, and what is not used.
sed -e 's/-9.81/-9810/; s/mass: 20/mass: 2.0e+9/' -e '/^joints/i\  - {name: spare, mass: 1, inertia: [1, 1, 1]}' \
    "$work/door.yaml" >"$work/smell.yaml"
code 0 check "$work/smell.yaml" --end 0.01
prints "units: gravity is 9810 m/s^2"
prints 'units: body `leaf` has a mass of 2e+09 kg'
prints 'kg/m^3'
prints 'unused: body `spare` has neither joint nor force'
same "a sound door has none of these" "$("$cardan" check "$work/door.yaml" | grep -c -e units: -e unused:)" 0

# No model that comes with Cardan is suspected, nor any of these: tall, tiny, in space, a contact that
# just touches, a spring without length, friction without load.
for model in "$(dirname "$0")"/../../models/*.yaml "$(dirname "$0")"/../data/sound/*.yaml; do
    code 0 check "$model" --end 0.001
    checks=$((checks + 1))
    grep -e '^  \(units\|unused\|singular\|mass\|assembly\): ' -e WRONG "$work/out" &&
        fail "$last: suspected"
done

# Many redundant constraints: one line, none with --quiet.
"$cardan" generate nfourbar --n 40 >"$work/many.yaml"
code 0 run "$work/many.yaml" --step 1e-3 --end 2e-3 --out "$work/many.csv"
same "lines" "$(wc -l <"$work/err")" 1
says 'note: 120 redundant constraints in 40 joints (`cardan check` lists them), e.g. joint `'
says "joint forces are the least-squares distribution"
code 0 run "$work/many.yaml" --step 1e-3 --end 2e-3 --out "$work/many.csv" --quiet
silent
"$cardan" generate nfourbar --n 8 >"$work/some.yaml"
code 0 check "$work/some.yaml" --end 1e-3
same "all of them" "$(grep -c redundant: "$work/out")" 8

# Rows chosen from redundant ones become dependent on the way (after every half turn of the wheel):
# others are chosen, and the motion is that without the joint `turning`.
cat >"$work/wheel.yaml" <<'END'
cardan: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: wheel, mass: 2, center_of_mass: [0.2, 0, 0.1], inertia: [0.2, 0.2, 0.4], angular_velocity: [0, 0, 1.57]}
joints:
  - {name: centre, type: spherical, body1: ground, body2: wheel, location: [0, 0, 0]}
  - {name: turning, type: generic, fixed: [rx], body1: wheel, body2: ground, location: [0, 0, 0], axis: [0, 0, 1], x_axis: [1, 0, 0]}
  - {name: first, type: generic, fixed: [rx], body1: ground, body2: wheel, location: [0, 0, 0], axis: [0, 0, 1], x_axis: [0, 1, 0]}
  - {name: second, type: generic, fixed: [rx], body1: ground, body2: wheel, location: [0, 0, 0], axis: [0, 0, 1], x_axis: [1, 0, 0]}
solver: {rtol: 1.0e-3, end: 4}
END
grep -v turning "$work/wheel.yaml" >"$work/minimal.yaml"
code 0 run "$work/wheel.yaml" --method ga2s --out "$work/wheel.csv"
says "constraints that had been chosen from redundant ones became dependent on the way; others were chosen"
code 0 run "$work/minimal.yaml" --rtol 1e-6 --out "$work/minimal.csv"
for name in wheel.e0 wheel.e3 wheel.wz centre.fx; do
    near "$name" "$(column "$work/wheel.csv" $name | tail -1)" \
        "$(column "$work/minimal.csv" $name | tail -1)" 5e-3
done

# A prescribed motion whose third derivative jumps at the start is no wrong derivative.
cat >"$work/lift.yaml" <<'END'
cardan: 1
gravity: [0, 0, -9.81]
signals:
  - {name: lift, type: smooth_step, value: 0, end_value: 2, start: 0, end: 0.5}
bodies:
  - {name: arm, mass: 20, inertia: [6, 7, 1.2], position: [0.4, 0, 0]}
joints:
  - {name: pivot, type: revolute, body1: ground, body2: arm, location: [0, 0, 0], axis: [0, 1, 0], motion: lift}
solver: {end: 0.1, step: 1.0e-2}
END
code 0 check "$work/lift.yaml"
prints "all derivatives and claims agree with differences"

# What nothing refers to is told with its place.
sed -e 's/, motion: lift//' -e '/^gravity/a parameters: {spare: 3}' "$work/lift.yaml" >"$work/idle.yaml"
code 0 check "$work/idle.yaml"
says 'idle.yaml:3:14: warning: nothing uses the parameter `spare`'
says 'nothing uses the signal `lift`'

# Large models: all is said, by sparse factors, and the run that projections are judged along is short.
"$cardan" generate ladder --n 60 --joint revolute --out "$work/large.yaml"
code 0 check "$work/large.yaml" --quiet
prints "60 degrees of freedom, 180 redundant constraints"
prints "redundant: 10 more joints like these (--json lists all)"
prints "Every velocity that the constraints allow has kinetic energy"
prints "A = mass: cannot add energy"
prints "A = identity: CAN ADD energy"
prints "was followed up to"
tr -s ' \n' '  ' <"$work/out" >"$work/flat"
checks=$((checks + 1))
grep -q 'singular configurations nearby were not looked for' "$work/flat" || fail "what was not looked for"
checks=$((checks + 1))
grep -q 'M + C^T C: [0-9]' "$work/out" || fail "smallest eigenvalue of M*"
code 0 check "$work/large.yaml" --end 0.005 --json
valid_json
same "the whole run" "$(json run.cut_short)" False
same "verdict along the run" "$(json projections.1.can_add_energy_along_run)" True
finish
