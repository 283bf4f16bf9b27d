# cardan generate: every shape runs and checks, in space, in the plane and with redundant joints.
. "$(dirname "$0")/support.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)

for shape in chain ring ladder tree nfourbar; do
    for form in spatial se3 planar; do
        code 0 generate $shape --n 4 --form $form --out "$work/$shape.$form.yaml"
        silent
        code 0 run "$work/$shape.$form.yaml" --step 1e-3 --end 0.1 --quiet --out "$work/$shape.$form.csv"
    done
    code 0 generate $shape --n 4 --joint revolute --out "$work/$shape.revolute.yaml"
    code 0 run "$work/$shape.revolute.yaml" --step 1e-3 --end 0.1 --quiet --out "$work/$shape.revolute.csv"
    code 0 check "$work/$shape.planar.yaml" --set solver.end=0.1
    # All move in the plane, so all forms are the same motion: places of the planar form in the
    # others, to the accuracy of the corrector.
    checks=$((checks + 1))
    python3 - "$work/$shape" <<'END' || fail "$shape: forms differ"
import csv, sys
def last(form):
    return list(csv.DictReader(open(f'{sys.argv[1]}.{form}.csv')))[-1]
plane = last('planar')
places = [name for name in plane if name.endswith(('.x', '.y'))]
assert len(places) >= 8
moved = max(abs(float(plane[name])) for name in plane if name.endswith(('.vx', '.vy')))
assert moved > 0.1, moved
for form in ('spatial', 'se3', 'revolute'):
    other = last(form)
    # On SE(3) the discretisation is another one: errors of the step.
    limit = 1e-5 if form == 'se3' else 1e-8
    for name in places:
        assert abs(float(plane[name]) - float(other[name])) < limit, (form, name)
END
done

# Degrees of freedom in the plane: 3 bodies - 2 joints.
freedom() {
    code 0 check "$work/$1.planar.yaml" --set solver.end=0.1
    prints "$2 degree"
}
freedom chain 4
freedom ring 2
freedom ladder 4
freedom tree 4
freedom nfourbar 1

code 0 generate chain --n 3
prints "type: spherical"
prints "name: link3"
code 0 generate chain --n 20
cmp -s "$work/out" "$tree/models/chain.yaml" || fail "models/chain.yaml is not what generate writes"
code 0 generate nfourbar --n 40
cmp -s "$work/out" "$tree/models/nfourbar.yaml" || fail "models/nfourbar.yaml is not what generate writes"
code 0 generate tree --n 100000 --out "$work/tree.yaml"
same "links" "$(grep -c 'name: link' "$work/tree.yaml")" 100000

# 10 000 bodies are read, built and started, and take a step.
code 0 generate chain --n 10000 --out "$work/chain.yaml"
code 0 run "$work/chain.yaml" --step 1e-3 --end 1e-3 --quiet --out "$work/chain.csv"
checks=$((checks + 1))
python3 - "$work/chain.csv" <<'END' || fail "chain of 10 000 links"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 2 and float(rows[1]['t']) == 1e-3
# A free rod falls with g; links far from the support know nothing of it.
assert abs(float(rows[1]['link10000.y']) + 9.81 * 1e-6 / 2) < 1e-12, rows[1]['link10000.y']
assert abs(float(rows[1]['link10000.vy']) + 9.81e-3) < 1e-9
END

# Past singular configurations (all cranks horizontal), where joint forces have no limit: the motion
# is right, and the verdict tells where forces are not.
code 0 generate nfourbar --n 2 --out "$work/nfourbar.yaml"
code 0 run "$work/nfourbar.yaml" --method ga2s --step 1e-3 --end 3 --out "$work/nfourbar.csv"
prints "verdict      doubtful"
says "the error of the joint force of"
code 0 run "$work/nfourbar.yaml" --step 1e-3 --end 0.1 --out "$work/nfourbar.csv"
checks=$((checks + 1))
grep -q "singular configuration" "$work/err" && fail "a note of singular configurations without one"

code 2 generate
says "give chain, ring, ladder, tree or nfourbar"
code 2 generate chian --n 3
says "did you mean \`chain\`?"
code 2 generate chain
says "needs --n from 1"
code 2 generate ring --n 2
says "needs --n from 3"
code 2 generate chain --n 3 --form planar --joint spherical
says "planar bodies have revolute joints"
code 2 generate chain --n 3 --joint gear
says "unknown joint"
code 2 generate chain ring --n 3
says "one shape at a time"
code 1 generate chain --n 3 --out "$work/no/such/folder.yaml"
says "cannot write"

finish
