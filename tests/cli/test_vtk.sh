# VTK series: valid XML, as many frames as rows, bodies where the CSV says, forces in world axes.
. "$(dirname "$0")/support.sh"
models=$(dirname "$0")/../../models

# What a series holds, checked against the CSV of the same run. Prints what is wrong.
cat >"$work/check.py" <<'P'
import csv, math, os, sys
import xml.etree.ElementTree as xml
folder, table, bodies, joints = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rows = list(csv.DictReader(open(table)))
entries = [e.attrib for e in xml.parse(folder + "/run.pvd").getroot().iter("DataSet")]
wrong = 0
def expect(what, got, wanted):
    global wrong
    if got != wanted:
        wrong += 1
        print(what, got, "instead of", wanted)
def numbers(piece, name):
    for array in piece.iter("DataArray"):
        if array.get("Name") == name:
            return [float(x) for x in array.text.split()]
    print("no array", name); sys.exit(1)
expect("entries", len(entries), 2 * len(rows))
for i, row in enumerate(rows):
    for entry in entries[2 * i:2 * i + 2]:
        expect("time", float(entry["timestep"]), float(row["t"]))
        tree = xml.parse(os.path.join(folder, entry["file"])).getroot()
        expect("type", tree.get("type"), "PolyData")
        piece = next(tree.iter("Piece"))
        points = int(piece.get("NumberOfPoints"))
        place = numbers(piece, "Points")
        expect("coordinates", len(place), 3 * points)
        expect("numbers that are not finite", sum(not math.isfinite(x) for x in place), 0)
        if entry["name"] == "bodies":
            polygons = int(piece.get("NumberOfPolys"))
            offsets, corners = numbers(piece, "offsets"), numbers(piece, "connectivity")
            owner = numbers(piece, "body")
            expect("offsets", len(offsets), polygons)
            expect("last offset", offsets[-1], len(corners))
            expect("cells with a body", len(owner), polygons)
            expect("bodies", len(set(owner) - {-1}), bodies)
            expect("corners out of range", sum(not 0 <= c < points for c in corners), 0)
            globals()["last_bodies"] = (owner, offsets, corners, place)
        else:
            expect("joints", int(piece.get("NumberOfVerts")), joints)
            expect("forces", len(numbers(piece, "force")), 3 * points)
            globals()["last_joints"] = (numbers(piece, "force"), numbers(piece, "torque"), place)
P
frames() { # FOLDER TABLE BODIES JOINTS [MORE PYTHON]
    same "$last: $1" "$(cat "$work/check.py" - <<<"${5:-}" >"$work/all.py"
        python3 "$work/all.py" "$1" "$2" "$3" "$4" 2>&1 | head -5)" ""
}

# A pendulum: the rod's surface is about the body's place and along its direction, and the force of
# the hinge on the rod is m (a - g) of its centre of mass, in the world, whatever the frame.
cat >"$work/pendulum.yaml" <<'Y'
cardan: 1
gravity: [0, -9.81, 0]
bodies:
  - name: rod
    solids: [{type: box, density: 1000, size: [0.5, 0.04, 0.06]}]
    position: [0.25, 0, 0]
joints:
  - {name: hinge, type: revolute, body1: ground, body2: rod, location: [0, 0, 0], axis: [0, 0, 1], x_axis: [0, 1, 0]}
sensors:
  - {type: acceleration, body: rod}
solver: {step: 1.0e-3, end: 0.5, sample: 0.05}
Y
code 0 run "$work/pendulum.yaml" --out "$work/p.csv" --vtk "$work/p"
prints "frames       11, listed in $work/p/run.pvd"
frames "$work/p" "$work/p.csv" 1 1 '
    if entry["name"] == "joints":
        row = {k: float(v) for k, v in row.items()}
        force, torque, hinge = last_joints
        mass = 1000 * 0.5 * 0.04 * 0.06
        wanted = [mass * row["rod.ax"], mass * (row["rod.ay"] + 9.81), 0.0]
        for a, b in zip(force, wanted):
            if abs(a - b) > 1e-6 * max(1, abs(b)):
                expect("force at t = %g" % row["t"], force, wanted)
        if max(abs(x) for x in hinge) > 1e-9:
            expect("place of the hinge", hinge, [0, 0, 0])
        # The box has its eight corners at the distance of its half diagonal from the centre.
        place = last_bodies[3]
        centre = [row["rod.x"], row["rod.y"], row["rod.z"]]
        half = math.sqrt(0.25**2 + 0.02**2 + 0.03**2)
        for k in range(0, len(place), 3):
            distance = math.dist(place[k:k + 3], centre)
            if abs(distance - half) > 1e-9:
                expect("distance of a corner", distance, half)
        # Its long edges point along the body: x axis of the quaternion.
        w, x, y, z = (row["rod.e%d" % i] for i in range(4))
        axis = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]
        along = [sum((p - c) * a for p, c, a in zip(place[k:k + 3], centre, axis))
                 for k in range(0, len(place), 3)]
        for value in along:
            if abs(abs(value) - 0.25) > 1e-9:
                expect("corner along the axis", value, 0.25)
'
# The same series from a CSV with the model, and from HDF5.
code 0 convert "$work/p.csv" "$work/p2/" --model "$work/pendulum.yaml"
prints "11 frames"
diff -r "$work/p" "$work/p2" >/dev/null || fail "converted CSV differs from the run's frames"
if "$cardan" run "$work/pendulum.yaml" --out "$work/p.h5" --quiet 2>"$work/err"; then
    code 0 convert "$work/p.h5" "$work/p3/"
    diff -r "$work/p" "$work/p3" >/dev/null || fail "converted HDF5 differs from the run's frames"
else
    grep -q "built without HDF5" "$work/err" || fail "run to HDF5: $(head -1 "$work/err")"
    echo "SKIPPED IN PART: no HDF5"
fi
code 0 convert "$work/p.csv" "$work/p4/" --every 5
prints "3 frames"
code 0 info "$work/p4/run.pvd" --json
same "frames in JSON" "$(json frames)" 3

# Without a model: boxes. All shipped kinds of shapes, springs and built-in problems.
code 0 convert "$work/p.csv" "$work/boxes/"
frames "$work/boxes" "$work/p.csv" 1 0
code 0 run "$models/suspension.yaml" --end 0.1 --sample 0.05 --out "$work/s.csv" --vtk "$work/s"
bodies=$(head -1 "$work/s.csv" | tr , '\n' | grep -c '\.e0$')
code 0 info "$models/suspension.yaml" --json
joints=$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["joints"]))' "$work/out")
frames "$work/s" "$work/s.csv" "$bodies" "$joints"
code 0 run heavy_top --end 0.1 --sample 0.02 --out "$work/t.csv" --vtk "$work/t"
frames "$work/t" "$work/t.csv" 1 1
code 0 run rolling_disk --end 0.1 --sample 0.02 --out "$work/d.csv" --vtk "$work/d"
same "frames of the disk" "$(grep -c 'name="bodies"' "$work/d/run.pvd")" 6

# Refusals.
code 1 convert "$work/t.csv" "$work/none/"
says "nothing to draw"
code 1 run pendulum --end 0.1 --vtk "$work/missing/folder"
says "cannot write $work/missing/folder"
code 2 run pendulum --end 0.1 --vtk ""
says "name is empty"
code 2 run pendulum --out "$work/x.csv" --checkpoint "$work/x.ckp" --vtk "$work/v"
says "cannot continue with VTK"
finish
