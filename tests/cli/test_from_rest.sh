# A robot at rest that begins to move later ends where its motors are told to, and its rows in
# between lie on the prescribed motion, with every method and tolerance. So does a mass that a force hits late.
. "$(dirname "$0")/support.sh"
models=$(dirname "$0")/../../models
csv=$work/robot.csv

# largest_error: of the six angles in all rows against the smooth steps of the model.
largest_error() {
    python3 - "$csv" <<'END'
import csv, math, sys
ends = [math.radians(x) for x in (120, 50, -70, 160, 80, -200)]
worst = 0.0
rows = list(csv.DictReader(open(sys.argv[1])))
for row in rows:
    x = min(max((float(row["t"]) - 0.1) / 1.5, 0.0), 1.0)
    for i, end in enumerate(ends):
        d = float(row["axis_%d.angle" % (i + 1)]) - end * x**3 * (10 - 15 * x + 6 * x * x)
        worst = max(worst, abs(math.remainder(d, 2 * math.pi)))
print("%.3g" % worst if len(rows) == 41 else "")
END
}

for method in ga2s ga3 rk5; do
    for tolerance in 1e-2 1e-3 1e-4 1e-5 1e-6; do
        code 0 run "$models/robot.yaml" --method $method --rtol $tolerance --sample 0.05 --out "$csv"
        below "$method at $tolerance: angles" "$(largest_error)" $tolerance
    done
done

# A force of two hundredths of a second after a minute at rest: 10 N on 2 kg, x = v (t - 60.01).
cat >"$work/pulse.yaml" <<'END'
cardan: 1
gravity: [0, 0, 0]
bodies: [{name: b, type: point, mass: 2, position: [0, 0, 0]}]
signals: [{name: s, type: table, table: [[60, 0], [60.01, 10], [60.02, 0]]}]
forces: [{name: f, type: applied, body: b, force: [1, 0, 0], signal: s}]
solver: {end: 100}
END
for method in ga2s ga3 rk5; do
    code 0 run "$work/pulse.yaml" --method $method --out "$csv"
    near "pulse, $method: speed" "$(column "$csv" b.vx | tail -1)" 0.05 1e-5
    near "pulse, $method: place" "$(column "$csv" b.x | tail -1)" 1.9995 1e-3
done
finish
