# What goes wrong after a file was read (building, assembly, start, a step) names the element and its
# place in the file, whatever command meets it.
. "$(dirname "$0")/support.sh"

# model NAME: a file with two bodies in lines 4 and 5, and what stdin adds from line 6 on.
model() {
    {
        printf 'cardan: 1\ngravity: [0, 0, -9.81]\nbodies:\n'
        printf '  - {name: a, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n'
        printf '  - {name: b, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n'
        cat
        printf 'solver: {end: 0.1}\n'
    } >"$work/$1.yaml"
}

# placed NAME LINE:COLUMN TEXT: run fails there and says so.
placed() {
    checks=$((checks + 1))
    last="cardan run $1.yaml"
    "$cardan" run "$work/$1.yaml" --out "$work/o.csv" >"$work/out" 2>"$work/err" </dev/null
    [ $? -ne 0 ] || fail "$last: accepted"
    says "cardan: $work/$1.yaml:$2: "
    says "$3"
}

model open <<'END'
joints:
  - {name: j1, type: revolute, body1: ground, body2: a, location: [0, 0, 0], axis: [0, 1, 0]}
  - {name: j2, type: spherical, body1: a, body2: b, frame1: {position: [1, 0, 0]}, frame2: {position: [1, 0, 0]}}
  - {name: j3, type: spherical, body1: ground, body2: b, frame1: {position: [9, 0, 0]}, frame2: {position: [1, 0, 0]}}
END
placed open 7:5 'joint `j1` by 2.33 m'
same "$last: no other lines" "$(wc -l <"$work/err")" 1

model rates <<'END'
joints:
  - {name: j1, type: revolute, body1: ground, body2: a, location: [0, 0, 0], axis: [0, 1, 0], rate: 1}
  - {name: j2, type: revolute, body1: a, body2: ground, location: [0, 0, 0], axis: [0, 1, 0], rate: 2}
END
placed rates 7:5 'joint `j1` by 1.5 rad/s'

model motions <<'END'
joints:
  - {name: j1, type: revolute, body1: ground, body2: a, location: [0, 0, 0], axis: [0, 1, 0], motion: 1}
  - {name: j2, type: revolute, body1: ground, body2: a, location: [0, 0, 0], axis: [0, 1, 0], motion: 2}
END
placed motions 7:5 'joint `j1`'

# Far away, where gaps are about as large as rounding errors.
model far <<'END'
joints:
  - {name: bearing, type: revolute, body1: ground, body2: a, location: [1.0e12, 0, 0], axis: [0, 1, 0], motion: {type: polynomial, coefficients: [0, 6]}}
  - {name: pin, type: revolute, body1: a, body2: b, location: [0, 0, 1.0e9], axis: [0, 1, 0]}
  - {name: ball, type: spherical, body1: ground, body2: b, location: [0, 3, 1]}
END
"$cardan" run "$work/far.yaml" --out "$work/o.csv" >"$work/out" 2>"$work/err" ||
    ! grep -q ':  cannot' "$work/err" || fail "a gap without a name: $(cat "$work/err")"

model spring <<'END'
forces:
  - {name: s, type: spring, body1: a, body2: b, stiffness: 100, free_length: 1, frame1: [0, 0, 0], frame2: [-1, 0, 0]}
END
placed spring 7:5 'force `s` between `a` and `b` has no value: its ends are at the same place'
! grep -q -e 'smaller step' -e 'last good state' "$work/err" || fail "$last: advice on steps at the start"
for command in check static modes; do
    "$cardan" $command "$work/spring.yaml" >"$work/out" 2>&1 && fail "$command spring.yaml: accepted"
    grep -qF "$work/spring.yaml:7:5:" "$work/out" || fail "$command spring.yaml: no place"
done

# The ends of a spring meet on the way.
model meet <<'END'
joints:
  - {name: rail, type: prismatic, body1: ground, body2: b, location: [2, 0, 0], axis: [1, 0, 0], motion: {type: ramp, slope: -10}}
  - {name: base, type: fixed, body1: ground, body2: a, location: [1, 0, 0]}
forces:
  - {name: s, type: spring, body1: a, body2: b, stiffness: 100, free_length: 1, frame1: [0, 0, 0], frame2: [0, 0, 0]}
END
"$cardan" run "$work/meet.yaml" --step 0.05 --end 0.2 --out "$work/o.csv" >"$work/out" 2>"$work/err" &&
    fail "meet.yaml: accepted"
last="cardan run meet.yaml"
says "cardan: $work/meet.yaml:10:5: at t ="
says 'force `s` between `a` and `b`'

model rod <<'END'
joints:
  - {name: r, type: distance, body1: a, body2: b, length: 1, frame1: [0, 0, 0], frame2: [-1, 0, 0]}
END
placed rod 7:5 'joint `r` between `a` and `b` has no value'

model bushing <<'END'
forces:
  - {name: rubber, type: bushing, body1: a, body2: b, frame1: {position: [1, 0, 0]}, frame2: {orientation: {axis: [0, 0, 1], angle: 3.1415926}}, stiffness_matrix: [1, 1, 1, 1, 1, 1]}
END
placed bushing 7:5 'force `rubber`'

printf '  - {name: c, mass: 0}\n' | model massless
placed massless 6:5 '(c.vx) has no mass'
printf '  - {name: c, mass: 1, inertia: [0, 0, 0]}\n' | model no_inertia
placed no_inertia 6:5 'c.wx'

model planar <<'END'
  - {name: p, type: planar, mass: 1, inertia: [0, 0, 1], position: [0, 0, 0]}
joints:
  - {name: j, type: revolute, body1: ground, body2: p, location: [0, 0, 0], axis: [0, 1, 0]}
END
placed planar 8:5 'joint `j`'

model gear <<'END'
joints:
  - {name: s1, type: spherical, body1: ground, body2: a, location: [0, 0, 0]}
  - {name: s2, type: revolute, body1: ground, body2: b, location: [2, 0, 0], axis: [0, 1, 0]}
  - {name: g, type: gear, joints: [s1, s2], ratio: 2}
END
placed gear 9:5 's1'

model held <<'END'
  - {name: post, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0], fixed: true}
joints:
  - {name: j, type: spherical, body1: post, body2: a, frame1: [0, 0, 0], frame2: [0, 0, 0]}
  - {name: k, type: spherical, body1: ground, body2: a, frame1: [0, 0, 0], frame2: [0, 0, 0]}
END
placed held 8:5 'joint `j`'

# An included file has its own places.
cat >"$work/part.yaml" <<'END'
joints:
  - {name: j1, type: spherical, body1: ground, body2: a, frame1: [0, 0, 0], frame2: [0, 0, 0]}
  - {name: j2, type: spherical, body1: ground, body2: a, frame1: [5, 0, 0], frame2: [0, 0, 0]}
END
printf 'include: part.yaml\n' | model including
last="cardan run including.yaml"
"$cardan" run "$work/including.yaml" --out "$work/o.csv" >"$work/out" 2>"$work/err" && fail "$last: accepted"
says "cardan: $work/part.yaml:2:5: the model cannot be assembled"

# Bodies, joints and forces of one name, and names that look like numbers.
model names <<'END'
  - {name: 1, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
joints:
  - {name: a, type: spherical, body1: ground, body2: b, frame1: [0, 0, 0], frame2: [0, 0, 0]}
  - {name: b, type: spherical, body1: ground, body2: b, frame1: [1.5, 0, 0], frame2: [0, 0, 0]}
END
placed names 8:5 'joint `a`'

# Every shipped model with a body or joint pushed far away: whatever is refused has a place.
count=0
for model in "$(dirname "$0")"/../../models/*.yaml; do
    for edit in 's/position: \[[^]]*\]/position: [50, -20, 30]/' 's/location: \[[^]]*\]/location: [7, 8, 9]/' \
        's/mass: [0-9.]*/mass: 0/' 's/length: [0-9.]*/length: 77/'; do
        for line in $(grep -nE 'position: \[|location: \[|mass: [0-9]|length: [0-9]' "$model" | cut -d: -f1 | head -6); do
            sed -e "${line}${edit}" "$model" >"$work/moved.yaml"
            cmp -s "$model" "$work/moved.yaml" && continue
            timeout 20 "$cardan" run "$work/moved.yaml" --end 1e-6 --out "$work/o.csv" >"$work/out" 2>"$work/err" && continue
            checks=$((checks + 1))
            count=$((count + 1))
            grep -qE "moved.yaml:[0-9]+:[0-9]+: " "$work/err" ||
                fail "$(basename "$model"):$line $edit: no place: $(head -2 "$work/err")"
        done
    done
done
[ "$count" -ge 5 ] || fail "only $count refusals"
echo "$count refusals of changed models"
finish
