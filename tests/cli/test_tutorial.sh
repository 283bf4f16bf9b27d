# docs/tutorial.md and the model in README.md: their files are written and their commands run as they
# stand, and what they print must be what the page shows; joint forces are compared with inverse
# dynamics in closed form.
. "$(dirname "$0")/support.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)
mkdir "$work/bin" "$work/desk"
ln -s "$(realpath "$cardan")" "$work/bin/cardan"

checks=$((checks + 1))
PATH="$work/bin:$PATH" python3 - "$work/desk" "$tree/README.md" "$tree/docs/tutorial.md" <<'END' || fail "pages"
import os, re, subprocess, sys

def same_word(got, shown):
    try:
        a, b = float(got), float(shown)
    except ValueError:
        return got == shown
    return abs(a - b) <= 1e-4 * abs(b) + 1e-9

def same_line(got, shown):
    got, shown = got.split(), shown.split()
    return len(got) == len(shown) and all(map(same_word, got, shown))

def agree(got, shown):
    """Lines shown are lines printed; `...` stands for any number of them."""
    if not shown:
        return not got
    if shown[0] == '...':
        return any(agree(got[i:], shown[1:]) for i in range(len(got) + 1))
    return bool(got) and same_line(got[0], shown[0]) and agree(got[1:], shown[1:])

def try_page(page, desk):
    """Numbers of commands, and of those that do something else than the page says."""
    commands = wrong = 0
    for kind, text in re.findall(r'^```(\S[^\n]*)\n(.*?)^```$', page, re.M | re.S):
        if kind.startswith('yaml '):
            open(f'{desk}/{kind[5:]}', 'w').write(text)
        if kind != 'console':
            continue
        for part in re.split(r'^\$ ', text, flags=re.M)[1:]:
            command, *shown = part.splitlines()
            run = subprocess.run(command, shell=True, cwd=desk, text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
            commands += 1
            mistake = any(line.startswith('cardan: ') for line in shown)
            if not agree(run.stdout.splitlines(), shown) or mistake != (run.returncode != 0):
                wrong += 1
                print(f'$ {command}\nexit code {run.returncode}, prints\n{run.stdout[:4000]}\n'
                      'instead of\n' + '\n'.join(shown))
    return commands, wrong

commands = wrong = 0
for name in sys.argv[2:]:
    desk = os.path.join(sys.argv[1], os.path.basename(name))
    os.mkdir(desk)
    tried = try_page(open(name).read(), desk)
    commands, wrong = commands + tried[0], wrong + tried[1]
assert commands > 12, commands
sys.exit(wrong > 0)
END

# Newton and Euler for three bars: the loop closed by the law of cosines, accelerations by
# differentiation, forces by moments about D and B.
checks=$((checks + 1))
python3 - "$work/desk/tutorial.md" <<'END' || fail "joint forces"
import csv, sys
from cmath import exp, phase
from math import acos, pi
a, b, c, d, speed = 0.3, 0.8, 0.7, 0.8, 6.0
line = 7850 * 0.04 * 0.02

def solve(p, q, r):
    """Real x, y with x p + y q = r (complex numbers as vectors of the plane)."""
    det = p.real * q.imag - p.imag * q.real
    return (r.real * q.imag - r.imag * q.real) / det, (p.real * r.imag - p.imag * r.real) / det

def cross(x, y):
    return x.real * y.imag - x.imag * y.real

def forces(t):
    B = a * exp(1j * (pi / 2 + speed * t))
    gap = d - B
    u = b * exp(1j * (phase(gap) + acos((b * b + abs(gap)**2 - c * c) / (2 * b * abs(gap)))))
    w = B + u - d
    p, s = solve(1j * u, -1j * w, -1j * speed * B)
    pp, ss = solve(1j * u, -1j * w, speed**2 * B + p**2 * u - s**2 * w)
    acc1 = -speed**2 * B / 2 + 9.81j
    acc2 = -speed**2 * B + (1j * pp - p**2) * u / 2 + 9.81j
    acc3 = (1j * ss - s**2) * w / 2 + 9.81j
    turn = lambda length: line * length * (length**2 + 0.04**2) / 12
    on_rocker = turn(c) * ss + cross(w / 2, line * c * acc3)    # = w x C
    on_coupler = turn(b) * pp + cross(u / 2, line * b * acc2)   # = -u x C
    Cx, Cy = solve(complex(-w.imag, u.imag), complex(w.real, -u.real),
                   complex(on_rocker, on_coupler))
    C = complex(Cx, Cy)
    D = line * c * acc3 - C
    torque = cross(B / 2, line * a * acc1) + cross(B, line * b * acc2 + C)
    return D.real, D.imag, torque

def error(path):
    rows = list(csv.DictReader(open(path)))
    assert len(rows) == 5
    return max(abs(float(row[name]) - value) for row in rows
               for name, value in zip(('D.fx', 'D.fy', 'A.mz'), forces(float(row['t']))))

coarse, minimal, fine = (error(f'{sys.argv[1]}/{name}.csv') for name in ('forces', 'minimal', 'finer'))
assert coarse < 3e-3 and abs(minimal - coarse) < 1e-7, (coarse, minimal)
assert 3.5 < coarse / fine < 4.5, (coarse, fine)
END

finish
