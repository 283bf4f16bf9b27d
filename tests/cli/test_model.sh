# Model files: cardan run FILE, --set, messages with line and column, cardan schema.
. "$(dirname "$0")/support.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)

cat >"$work/pendulum.yaml" <<'END'
cardan: 1
name: pendulum
gravity: [0, 0, -9.81]
parameters: {length: 0.5}
bodies:
  - name: rod
    mass: 2
    inertia: [1.0e-3, =2*length^2/12, =2*length^2/12]
    position: [=length/2, 0, 0]
joints:
  - {name: hinge, type: revolute, body1: ground, body2: rod, location: [0, 0, 0], axis: [0, 1, 0]}
solver: {step: 1.0e-3, end: 1.0}
END

code 0 run "$work/pendulum.yaml" --out "$work/a.csv"
silent
same "columns" "$(head -1 "$work/a.csv" | tr ',' '\n' | grep -c -e '^rod\.' -e '^hinge\.')" 21
same "rows" "$(wc -l <"$work/a.csv")" 1002
# A rod that falls from rest in the horizontal: the energy gives the rate, 3 g sin(angle) / l.
checks=$((checks + 1))
python3 - "$work/a.csv" <<'END' || fail "rate against the energy integral"
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
for row in rows:
    angle, rate = float(row['hinge.angle']), float(row['hinge.rate'])
    assert abs(rate**2 - 3 * 9.81 / 0.5 * math.sin(angle)) < 1e-3, (angle, rate)
    assert abs(float(row['rod.x']) - 0.25 * math.cos(angle)) < 1e-12
# At the start the bearing carries a quarter of the weight; size in the axes of the joint.
first = rows[0]
size = math.hypot(*(float(first['hinge.f' + c]) for c in 'xyz'))
assert abs(size - 2 * 9.81 / 4) < 1e-9, size
END

# Four times the length, half the rate.
code 0 run "$work/pendulum.yaml" --set length=2 --set solver.end=2 --method ga3 --json
valid_json
same "setting" "$(json parameters.length)" 2
same "method" "$(json method)" ga3
code 0 run "$work/pendulum.yaml" --end 0.01 --rtol 1e-4 --quiet --out "$work/b.csv"
same "end" "$(tail -1 "$work/b.csv" | cut -d, -f1)" 0.01
code 0 check "$work/pendulum.yaml"
prints "1 degree of freedom"

sed -e 's/type: revolute/type: revolut/; s/body2: rod/body2: rot/' "$work/pendulum.yaml" >"$work/bad.yaml"
code 2 run "$work/bad.yaml"
says "cardan: $work/bad.yaml:11:25: unknown type of joint \`revolut\`; did you mean \`revolute\`?"
says "cardan: $work/bad.yaml:11:56: there is no body \`rot\`; did you mean \`rod\`?"
same "messages" "$(wc -l <"$work/err")" 2
code 2 check "$work/bad.yaml"
says "did you mean \`revolute\`?"
code 2 run "$work/pendulum.yaml" --set bodies.rot.mass=1
says "cardan: --set bodies.rot.mass:1:1: there is no \`rot\` in the file; did you mean \`rod\`?"
code 2 run "$work/pendulum.yaml" --set bodies.rod.mass=heavy
says "wants a number"
code 2 run "$work/missing.yaml"
says "missing.yaml:1:1: cannot open"
printf '\0\1\2\377' >"$work/binary.yaml"
code 2 run "$work/binary.yaml"
says "binary.yaml:1:1: this is not a text file"
: >"$work/empty.yaml"
code 2 run "$work/empty.yaml"
says "empty.yaml:1:1: this file is empty"
sed -e '/^solver/d' "$work/pendulum.yaml" >"$work/endless.yaml"
code 2 run "$work/endless.yaml"
says "has no end time"

# Sensors: columns of their own; a wrong one has its place.
cat >>"$work/pendulum.yaml" <<'END'
sensors:
  - {name: tip, type: position, body: rod, point: [=length/2, 0, 0]}
  - {name: swing, type: joint_coordinate, joint: hinge}
  - {name: all, type: kinetic_energy}
END
code 0 run "$work/pendulum.yaml" --out "$work/c.csv"
checks=$((checks + 1))
python3 - "$work/c.csv" <<'END' || fail "sensors against the columns of body and joint"
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    row = {name: float(value) for name, value in row.items()}
    assert abs(row['tip.x'] - 2 * row['rod.x']) < 1e-12 and abs(row['tip.z'] - 2 * row['rod.z']) < 1e-12
    assert abs(row['swing.angle'] - row['hinge.angle']) < 1e-12
    assert abs(row['all.kinetic_energy'] - row['kinetic']) < 1e-12
END
code 2 run "$work/pendulum.yaml" --set sensors.tip.body=rot
says "there is no body \`rot\`; did you mean \`rod\`?"

# JSON is YAML.
python3 -c 'import json, sys
json.dump({"cardan": 1, "gravity": [0, 0, -9.81], "solver": {"end": 1, "step": 0.01},
           "bodies": [{"name": "ball", "type": "point", "mass": 1}]}, open(sys.argv[1], "w"), indent=1)' "$work/ball.json"
code 0 run "$work/ball.json" --out "$work/ball.csv"
checks=$((checks + 1))
python3 -c 'import csv, sys
row = list(csv.DictReader(open(sys.argv[1])))[-1]
assert abs(float(row["ball.z"]) + 4.905) < 1e-12' "$work/ball.csv" || fail "free fall"

# Every broken file of the table, by the program: exit 2 and no crash.
checks=$((checks + 1))
python3 - "$cardan" "$tree/tests/data" "$work" <<'END' || fail "broken files by the program"
import subprocess, sys
program, data, work = sys.argv[1:]
base = open(data + '/broken_base.yaml').read()
cases = open(data + '/broken.txt').read().split('\n# ')
for case in cases[::8]:
    part = lambda mark: ''.join(l[2:] + '\n' for l in case.split('\n')[1:] if l[:1] == mark)
    old, new = part('<'), part('>')
    with open(work + '/broken.yaml', 'w') as file:
        file.write(base.replace(old, new) if old else new)
    run = subprocess.run([program, 'run', work + '/broken.yaml'], capture_output=True, text=True)
    place = next(l for l in case.split('\n') if l[:2] == '! ')[2:].split(' ')[0]
    assert run.returncode == 2, (case, run.returncode)
    assert f'/broken.yaml:{place}: ' in run.stderr, (case, run.stderr)
END

code 0 schema
valid_json
prints '"$schema"'
checks=$((checks + 1))
"$tree/scripts/model-page" --check <"$work/out" || fail "docs/model-file.md differs from the schema; make model-page"
# What must be stated is not shown with a default (tests/data/broken.txt: a joint without a location).
same "defaults of \`location\` and points" "$(grep -E '^. .(location|point[12]). ' "$tree/docs/model-file.md" | grep -c '\[0, 0, 0\]')" 0
code 2 schema yaml
says "unexpected argument"

# Sensors without names: every column has a name of its own.
cat >"$work/names.yaml" <<'END'
cardan: 1
gravity: [0, 0, -9.81]
bodies: [{name: stone, mass: 1, inertia: [1, 1, 1]}]
sensors:
  - {type: position, body: stone, point: [1, 0, 0]}
  - {type: position, body: stone, point: [2, 0, 0]}
solver: {step: 0.1, end: 0.1}
END
code 0 run "$work/names.yaml" --out "$work/names.csv"
same "columns of the same name" "$(head -1 "$work/names.csv" | tr ',' '\n' | sort | uniq -d)" ""
same "place of the point" "$(column "$work/names.csv" stone.x_2 | head -1)" 1
same "place of the other point" "$(column "$work/names.csv" stone.x_3 | head -1)" 2
finish
