# Angles of joints and sensors over thousands of turns: the same whichever rows are written, and
# after a restart.
. "$(dirname "$0")/support.sh"
all=$work/all.csv
some=$work/some.csv
ckp=$work/run.ckp

# A rotor that a torque of 60 N m speeds up, one that runs free about x, a gear and a screw.
cat >"$work/rotors.yaml" <<'END'
cardan: 1
gravity: [0, 0, 0]
bodies:
  - {name: wheel, mass: 1, inertia: [0.3, 0.3, 0.3]}
  - {name: pinion, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}
  - {name: top, mass: 1, inertia: [0.2, 0.2, 0.2], position: [2, 0, 0]}
  - {name: disk, mass: 1, inertia: [0.3, 0.3, 0.3], position: [3, 0, 0]}
  - {name: nut, mass: 1, inertia: [1, 1, 1], position: [4, 0, 0]}
joints:
  - {name: hinge, type: revolute, body1: ground, body2: wheel, location: [0, 0, 0], axis: [0, 0, 1], rate: 700}
  - {name: other, type: revolute, body1: ground, body2: pinion, location: [1, 0, 0], axis: [0, 0, 1]}
  - {name: gear, type: gear, joints: [hinge, other], ratio: 2}
  - {name: free, type: generic, body1: ground, body2: top, fixed: [tx, ty, tz, ry, rz],
     location: [2, 0, 0], axis: [0, 0, 1], x_axis: [1, 0, 0], angle: 40, rate: -900}
  - {name: shaft, type: revolute, body1: ground, body2: disk, location: [3, 0, 0], axis: [0, 1, 0], rate: 900}
  - {name: thread, type: screw, lead: 0.001, body1: ground, body2: nut, location: [4, 0, 0], axis: [0, 0, 1],
     rate: 500}
forces:
  - {name: motor, type: motor, joint: shaft, signal: 60}
sensors:
  - {name: seen, type: joint_coordinate, joint: shaft}
  - {name: frames, type: angle, body1: ground, body2: top, frame1: {orientation: {z_axis: [1, 0, 0], x_axis: [0, 1, 0]}},
     frame2: {orientation: {z_axis: [1, 0, 0], x_axis: [0, 1, 0]}}}
solver: {step: 0.01, end: 20}
END

# last FILE COLUMN
last() {
    column "$1" "$2" | tail -1
}

angles="hinge.angle other.angle free.angle shaft.angle thread.angle seen.angle frames.angle"
code 0 run "$work/rotors.yaml" --out "$all"
near "hinge" "$(last "$all" hinge.angle)" 14000 1e-6
near "pinion" "$(last "$all" other.angle)" -28000 1e-6
near "about x" "$(last "$all" free.angle)" -17960 1e-6
near "shaft" "$(last "$all" shaft.angle)" 58000 1e-4
near "sensor of the shaft" "$(last "$all" seen.angle)" 58000 1e-4
near "screw" "$(last "$all" thread.angle)" 10000 1e-6
near "its displacement" "$(last "$all" thread.displacement)" 1.5915494309189535 1e-9
frames=$(last "$all" frames.angle)
near "two frames" "$frames" -17997.69911184308 1e-6 # 40 - 12 pi at the start

# Rows far apart, and rows inside of steps: the same angles.
code 0 run "$work/rotors.yaml" --every 1000 --out "$some"
for name in $angles; do
    same "$name with --every 1000" "$(column "$some" $name | tr '\n' ' ')" \
        "$(column "$all" $name | awk 'NR % 1000 == 1' | tr '\n' ' ')"
done
code 0 run "$work/rotors.yaml" --sample 7.77 --out "$some"
for name in $angles; do
    same "$name with --sample, at the end" "$(last "$some" $name)" "$(last "$all" $name)"
done
near "shaft inside of a step" "$(column "$some" shaft.angle | sed -n 2p)" 13030.29 1e-4
near "two frames inside of a step" "$(column "$some" frames.angle | sed -n 2p)" \
    "$(awk -v last="$frames" 'BEGIN { printf "%.12g", last + 900 * (20 - 7.77) }')" 1e-6

# A killed run goes on in the same turn.
for rows in "--every 300" "--sample 0.37"; do
    code 0 run "$work/rotors.yaml" $rows --out "$all"
    code 0 run "$work/rotors.yaml" $rows --out "$some" --checkpoint "$ckp" --checkpoint-steps 777
    code 0 run --restart "$ckp"
    checks=$((checks + 1))
    cmp -s "$all" "$some" || fail "restart with $rows: $(cmp "$all" "$some" 2>&1)"
done
rm -f "$some" "$ckp"
doomed run "$work/rotors.yaml" --end 200 --every 100 --quiet --out "$some" --checkpoint "$ckp" \
    --checkpoint-steps 50 &
run=$!
for _ in $(seq 100); do
    sleep 0.05
    [ -s "$some" ] && [ -s "$ckp" ] && break
done
kill -9 $run 2>/dev/null
wait $run 2>/dev/null
code 0 run --restart "$ckp"
code 0 run "$work/rotors.yaml" --end 200 --every 100 --out "$all"
checks=$((checks + 1))
cmp -s "$all" "$some" || fail "killed run: $(cmp "$all" "$some" 2>&1)"

# Checkpoints that do not have the turns are refused.
printf '\002' | dd of="$ckp" bs=1 seek=12 conv=notrunc 2>/dev/null
code 2 run --restart "$ckp"
says "it is of version 2 of the checkpoints, and this cardan reads version 3 only"

# A model with other sensors than the checkpoint's.
code 0 run "$work/rotors.yaml" --end 1 --out "$some" --checkpoint "$ckp" --checkpoint-steps 30
grep -v 'name: seen' "$work/rotors.yaml" >"$work/fewer.yaml"
mv "$work/fewer.yaml" "$work/rotors.yaml"
code 2 run --restart "$ckp"
says "other joints or sensors"
finish
