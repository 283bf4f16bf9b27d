# The verdict of `cardan run`: what assembly changed, energy out of nothing, violated constraints and
# spurious forces are told on stderr, in the summary, as JSON and in reports; the exit code follows.
. "$(dirname "$0")/support.sh"

models=$(dirname "$0")/../../models

# A four-bar whose crank is to turn with 10 rad/s while nothing is said of the other links.
cat >"$work/crank.yaml" <<'END'
cardan: 1
gravity: [0, 0, 0]
bodies:
  - {name: crank, solids: [{type: box, density: 7850, size: [0.3, 0.04, 0.02]}], position: [0, 0.15, 0],
     orientation: {axis: [0, 0, 1], angle: =pi/2}, velocity: [-1.5, 0, 0], angular_velocity: [0, 0, 10]}
  - {name: coupler, solids: [{type: box, density: 7850, size: [0.8, 0.04, 0.02]}], position: [0.4, 0.5, 0]}
  - {name: rocker, solids: [{type: box, density: 7850, size: [0.7, 0.04, 0.02]}], position: [0.8, 0.3, 0],
     orientation: {axis: [0, 0, 1], angle: =pi/2}}
joints:
  - {name: A, type: revolute, body1: ground, body2: crank, frame2: [-0.15, 0, 0]}
  - {name: B, type: revolute, body1: crank, body2: coupler, frame1: [0.15, 0, 0], frame2: [-0.4, 0, 0]}
  - {name: C, type: revolute, body1: coupler, body2: rocker, frame1: [0.4, 0, 0], frame2: [0.35, 0, 0]}
  - {name: D, type: revolute, body1: ground, body2: rocker, frame1: [0.8, 0, 0], frame2: [-0.35, 0, 0]}
solver: {end: 0.1}
END
code 0 run "$work/crank.yaml" --out "$work/c.csv"
says "doubtful: body \`crank\` does not start with the velocity that was given"
prints "verdict      doubtful"
code 1 run "$work/crank.yaml" --out "$work/c.csv" --strict
test -s "$work/c.csv" || fail "--strict keeps the rows"
code 0 run "$work/crank.yaml" --json
same "verdict as JSON" "$(json health.verdict)" doubtful
same "its concern" "$(json health.findings.0.concern)" start

# The rate that a joint is given is kept, and nothing is doubtful.
sed 's/, velocity: .*10\]}/}/; s/frame2: \[-0.15, 0, 0\]/&, rate: 10/' "$work/crank.yaml" >"$work/rate.yaml"
code 0 run "$work/rate.yaml" --out "$work/c.csv"
prints "verdict      good"
near "rate of the crank" "$(column "$work/c.csv" A.rate | head -1)" 10 1e-9

# A pole that assembly turns by more than a radian.
cat >"$work/pole.yaml" <<'END'
cardan: 1
gravity: [0, 0, 0]
bodies: [{name: pole, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}]
joints: [{name: slide, type: prismatic, body1: ground, body2: pole, frame2: {orientation: {axis: [1, 0, 0], angle: 1.2}}}]
solver: {end: 0.1}
END
code 0 run "$work/pole.yaml" --out "$work/c.csv"
says "most of all \`pole\`"
prints "verdict      doubtful"

# An elastic ball in steps that cannot resolve the contact gains energy.
cat >"$work/ball.yaml" <<'END'
cardan: 1
gravity: [0, 0, -9.81]
bodies: [{name: ball, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 5.1]}]
forces: [{name: floor, type: contact, body2: ball, axis: [0, 0, 1], point2: [0, 0, 5.1], radius: 0.1,
          stiffness: 1.0e+8, exponent: 1.5}]
solver: {end: 10}
END
code 1 run "$work/ball.yaml" --step 1e-3 --out "$work/c.h5"
says "that no force accounts for"
prints "verdict      wrong"
code 1 report "$work/c.h5" --text
prints "Verdict: wrong"
grep -q "good .*second order" "$work/out" && fail "a wrong run is called good"
# By the error there is no such energy; but nine bounces make 26 tolerances of the error of the first.
code 0 run "$work/ball.yaml" --rtol 1e-6 --out "$work/c.csv"
says "errors add up"
grep -q "no force accounts for" "$work/err" && fail "energy out of nothing in adaptive steps"
code 0 run "$work/ball.yaml" --rtol 1e-6 --end 2 --out "$work/c.csv"
prints "verdict      good"

# Constraints that drift away.
code 1 run pendulum --method ga1 --step 5e-2 --end 100 --out "$work/c.h5"
says "is violated by"
code 1 report "$work/c.h5" --text
prints "Verdict: wrong"
grep -q "good .*second order" "$work/out" && fail "violated constraints are called good"

# Forces that go up and down with every step.
code 0 run heavy_top --method ga3 --start plain --step 1e-3 --out "$work/c.csv"
says "doubtful: spurious oscillation"

# Shipped models are good at their own settings, without a word but for redundant constraints.
for model in "$models"/*.yaml; do
    case $model in
    */nfourbar.yaml) code 0 run "$model" --end 0.2 --out "$work/c.csv" ;;
    *) code 0 run "$model" --out "$work/c.csv" ;;
    esac
    prints "verdict      good"
    sed -i '/least-squares distribution$/d' "$work/err"
    silent
done

finish
