# Problems with events: rows before and after, the list of --events, the energy balance, restart, refusals.
. "$(dirname "$0")/support.sh"
csv=$work/run.csv
list=$work/events.csv

code 0 run bouncing_pendulum --step 2e-3 --out "$csv" --events "$list" --energy-balance
prints "events       4, the last at t = 4.2"
prints "+ dE_e -8.5"
same "events listed" "$(tail -n +2 "$list" | wc -l)" 4
# Both rows at every impact: at the wall, vx reversed by the coefficient 0.8; the balance adds up
# in every row; times against the closed form (elliptic integrals by Simpson's rule).
python3 - "$csv" "$list" <<'PY' || fail "rows or times of the impacts"
import csv, math, sys
rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(sys.argv[1]))]
hits = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(sys.argv[2]))]
g, wall, e = 9.81, -0.3, 0.8
def swing(m, a, b, n=20000):
    k = math.sqrt(m)
    a, b = math.asin(min(1, math.sin(a / 2) / k)), math.asin(math.sin(b / 2) / k)
    h = (b - a) / n
    f = lambda x: 1 / math.sqrt(1 - m * math.sin(x) ** 2)
    total = f(a) + f(b) + sum((4 if i % 2 else 2) * f(a + i * h) for i in range(1, n))
    return abs(total * h / 3) / math.sqrt(g)
at = math.asin(wall)
energy = 4.5 - g * math.cos(1.2)
t = swing((energy / g + 1) / 2, 1.2, at)
for hit in hits:
    assert abs(hit['t'] - t) < 1e-4, (hit['t'], t)
    before, after = [r for r in rows if r['t'] == hit['t']]
    assert abs(before['x'] - wall) < 1e-10 and abs(after['x'] - wall) < 1e-10
    assert before['vx'] < 0 and abs(after['vx'] + e * before['vx']) < 1e-9
    assert abs(after['energy'] - before['energy'] - hit['energy']) < 1e-12
    rate = e * math.sqrt(2 * (energy + g * math.cos(at)))
    energy = rate ** 2 / 2 - g * math.cos(at)
    t += 2 * swing((energy / g + 1) / 2, math.acos(-energy / g), at)
first = rows[0]['energy']
for r in rows:
    assert abs(r['energy'] - first - r['work'] - r['dE_i'] - r['dE_p'] - r['dE_e']) < 1e-11, r
assert rows[-1]['t'] == 5
PY

# Adaptive steps, other methods, a list with modes.
code 0 run bouncing_pendulum --rtol 1e-5 --json
prints '"events": 4'
code 0 run stick_slip --method nonholonomic --events "$list" --out "$csv"
same "modes" "$(tail -n +2 "$list" | cut -d, -f4,5 | head -3 | tr '\n' ' ')" "0,1 1,0 0,1 "
code 0 run bouncing_pendulum --set wall=0.3 --set e=0.5 --out "$csv"
prints "x [m]                0.3 "
code 0 converge bouncing_pendulum --steps 4e-3,2e-3 --norm end
prints "2.00"

# What does not go together.
code 2 run pendulum --events "$list"
says "this problem has none"
code 2 run bouncing_pendulum --events ""
code 2 run bouncing_pendulum --method hht3 --stages
says "--stages"
finish
