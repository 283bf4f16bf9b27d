# cardan bench: tiny sizes; the tables parse, counts and errors are what they say, refusals.
. "$(dirname "$0")/support.sh"

code 0 bench pendulum four-bar chain machine --most 10 --json --csv "$work/results"
valid_json
cp "$work/out" "$work/bench"
folder=$(echo "$work"/results/*)
python3 - "$work/bench" "$folder" >"$work/wrong" <<'P'
import csv, json, sys
bench = json.load(open(sys.argv[1]))
def rows(name):
    return list(csv.DictReader(open(sys.argv[2] + "/" + name + ".csv")))
for name, key in (("steps", "steps"), ("accuracy", "accuracy"), ("machine", "facts")):
    if len(rows(name)) != len(bench[key]) or len(bench[key]) == 0:
        print(name, len(rows(name)), len(bench[key]))
if not sys.argv[2].endswith(bench["machine"]):
    print("folder", sys.argv[2], bench["machine"])
for row in rows("steps"):
    if row["failure"] or not float(row["us_per_step"]) > 0:
        print("failed", row)
    if abs(float(row["us_per_step_body"]) * float(row["bodies"]) / float(row["us_per_step"]) - 1) > 1e-4:
        print("per body", row)
    if not 1 <= float(row["iterations"]) <= 6 or not 0 <= float(row["factorizations"]) <= 3:
        print("counts", row)
    if not 0 < float(row["error"]) < 1e-3:
        print("error", row)
    if not 0 < float(row["resident_kb_per_body"]) <= float(row["peak_kb_per_body"]) * 1.01:
        print("memory", row)
    shares = sum(float(row[n]) for n in ("evaluation", "assembly", "factorization", "solve", "other"))
    if abs(shares - 1) > 1e-4:
        print("shares", row)
ours = {}
for row in bench["accuracy"]:
    key = row["problem"], row["bodies"], row["wanted_error"]
    if row["seconds"] is None:
        if row["solver"] == "cardan":
            print("not reached", row)
        continue
    if not 0 < row["error"] <= row["wanted_error"]:
        print("error", row)
    ours.setdefault(key, row["seconds"] if row["solver"] == "cardan" else None)
    if abs(row["seconds"] / ours[key] / row["ratio"] - 1) > 1e-9:
        print("ratio", row)
facts = {row["fact"]: row["value"] for row in bench["facts"]}
if len(facts) != 5 or not all(value > 0 for value in facts.values()):
    print(facts)
P
same "tables" "$(cat "$work/wrong")" ""

# The error of a winning run is what a run with these settings has: pendulum, against the equation
# of its angle integrated here.
python3 - "$work/bench" >"$work/winner" <<'P'
import json, sys
for row in json.load(open(sys.argv[1]))["accuracy"]:
    if (row["problem"], row["solver"], row["wanted_error"]) == ("pendulum", "cardan", 1e-3):
        method, value = row["setting"].split()
        print(method, value, row["value"], row["error"])
P
read -r method kind value error <"$work/winner"
if [ "$kind" = h ]; then
    code 0 run pendulum --method "$method" --step "$value" --newton-rtol 1e-6 --newton-atol 1e-6 \
        --out "$work/p.csv"
    python3 - "$work/p.csv" "$error" >"$work/compared" <<'P'
import csv, math, sys
table = list(csv.DictReader(open(sys.argv[1])))
rows = [(float(r["t"]), float(r["x"]), float(r["y"])) for r in table]
(_, x0, y0), end = rows[0], rows[-1][0]
g, length = 9.81, math.hypot(x0, y0)
def slope(angle, rate): # from the lowest place
    return rate, -g / length * math.sin(angle)
angle, rate, n = math.atan2(x0, -y0), float(table[0]["vx"]) / -y0, 20000
h, exact = end / n, {}
for i in range(1, n + 1):
    a, b = slope(angle, rate)
    c, d = slope(angle + h / 2 * a, rate + h / 2 * b)
    e, f = slope(angle + h / 2 * c, rate + h / 2 * d)
    k, l = slope(angle + h * e, rate + h * f)
    angle, rate = angle + h / 6 * (a + 2 * c + 2 * e + k), rate + h / 6 * (b + 2 * d + 2 * f + l)
    if i % (n // 4) == 0:
        exact[i // (n // 4)] = length * math.sin(angle), -length * math.cos(angle)
worst = change = 0.0
for quarter, (x, y) in exact.items():
    t, qx, qy = min(rows, key=lambda row: abs(row[0] - quarter * end / 4))
    if abs(t - quarter * end / 4) > 1e-9:
        print("no step ends at", quarter)
    worst = max(worst, abs(qx - x), abs(qy - y))
    change = max(change, abs(x - x0), abs(y - y0))
print("ok" if abs(worst / change / float(sys.argv[2]) - 1) < 0.02 else (worst / change, sys.argv[2]))
P
    same "error of the run" "$(cat "$work/compared")" ok
fi

code 0 bench tree --most 10 --no-peers
prints 'us/step'
code 2 bench nothing-of-that-name
says 'nothing has'
code 2 bench --most x
code 1 bench tree --most 10 --no-peers --csv "$work/p.csv/deeper"
says 'cannot make'
code 0 bench --help
prints '--full'
finish
