# `cardan extrapolate`: orders against another integration of other equations, the CSV and
# the JSON, models, and what is refused.
. "$(dirname "$0")/support.sh"

# x1(0.5) by the classical Runge-Kutta method in the angles of the rods.
exact=$(python3 - <<'PYTHON'
from math import cos, sin

g = 9.81


def slope(y):
    a, b, u, w = y
    c, s = cos(a - b), sin(a - b)
    f, k = -2 * g * sin(a) - s * w * w, -g * sin(b) + s * u * u
    det = 2 - c * c
    return (u, w, (f - c * k) / det, (2 * k - c * f) / det)


def moved(y, d, h):
    return tuple(p + h * q for p, q in zip(y, d))


y, n = (1.0, 0.5, 0.0, 0.0), 4000
h = 0.5 / n
for _ in range(n):
    k1 = slope(y)
    k2 = slope(moved(y, k1, h / 2))
    k3 = slope(moved(y, k2, h / 2))
    k4 = slope(moved(y, k3, h))
    y = tuple(p + h / 6 * (a + 2 * b + 2 * c + d) for p, a, b, c, d in zip(y, k1, k2, k3, k4))
print(repr(sin(y[0])))
PYTHON
)

error_now() {
    python3 -c "print(abs($(json state.x1) - $exact))"
}

for levels in 2 3; do
    code 0 extrapolate double_pendulum --levels $levels --step 0.0125 --end 0.5 --json
    coarse=$(error_now)
    same "steps" "$(json steps)" 40
    same "steps of all runs" "$(json steps_of_all_runs)" $((levels * (levels + 1) * 20))
    below "x1 within its estimate" "$coarse" "$(json estimated_error.error_q)"
    code 0 extrapolate double_pendulum --levels $levels --step 0.00625 --end 0.5 --json
    below "error of x1 at half the step, $levels levels" \
        "$(python3 -c "print($(error_now) / $coarse)")" \
        "$(python3 -c "print(2.0 ** -($levels + 0.75))")"
done

# Steps that do not resolve the motion are told; so is it that others do.
code 0 extrapolate heavy_top --step 0.02 --end 1
says 'not to be trusted'
code 0 extrapolate heavy_top --step 0.02 --end 1 --json
same "not resolved" "$(json resolved)" False
code 0 extrapolate heavy_top --step 0.0005 --end 0.2 --json
same "resolved" "$(json resolved)" True
same "no complaint" "$(wc -c <"$work/err")" 0

# A step that does not divide the span is fitted; one row a step and one for the start.
code 0 extrapolate double_pendulum --step 0.03 --end 0.5 --out "$work/d.csv"
prints 'order 3'
prints 'estimated error'
same "rows" "$(wc -l <"$work/d.csv")" 19
same "last row" "$(tail -n 1 "$work/d.csv" | cut -d, -f1)" 0.5
same "columns" "$(head -n 1 "$work/d.csv" | grep -c '^t,.*,error_q,error_v,error_lambda$')" 1
code 0 extrapolate double_pendulum --step 0.03 --end 0.5 --out - --quiet
cmp -s "$work/out" "$work/d.csv" || fail "the CSV on standard output differs"

# A model file.
code 0 extrapolate "$(dirname "$0")/../../models/four_bar.yaml" --step 0.005 --end 0.1 --json
same "levels" "$(json levels)" 2

code 2 extrapolate
code 2 extrapolate pendulum --levels 4
says "levels"
code 2 extrapolate pendulum --step 0
says "step"
code 2 extrapolate pendulum --start plain
says "perturbed"
code 2 extrapolate pendulum --method conserving
says "ga3, ga2s"
code 2 extrapolate bouncing_pendulum
says "events"
code 2 extrapolate pendulum --project velocity
says "projection"
code 2 extrapolate pendulum --json --out -
says "standard output"
code 1 extrapolate heavy_top --step 0.3 --end 3 --quiet --out "$work/t.csv"
says "with steps of"

finish
