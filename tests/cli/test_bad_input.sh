# Bad input: exit code 2, a sentence that says what to do, and the output file left alone.
. "$(dirname "$0")/support.sh"
keep=$work/keep.csv
echo precious >"$keep"

# refuse TEXT ARGUMENTS...
refuse() {
    local text=$1
    shift
    code 2 "$@"
    says "$text"
    same "$last: lines on stdout" "$(wc -l <"$work/out")" 0
}

# run refused with --out: neither truncated nor created
refuse_run() {
    local text=$1
    shift
    refuse "$text" run "$@" --out "$keep"
    says "cardan: run: "
    same "$last: kept file" "$(cat "$keep")" precious
    refuse "$text" run "$@" --out "$work/new.csv"
    [ ! -e "$work/new.csv" ] || fail "$last: created the output file"
    rm -f "$work/new.csv"
}

refuse 'usage: cardan COMMAND'
refuse 'unknown command `rnu`; did you mean `run`?' rnu heavy_top
refuse 'unknown command `convrge`; did you mean `converge`?' convrge
refuse 'unknown command `xyzzy`; `cardan --help`' xyzzy
refuse 'did you mean `run`?' help rum
refuse 'unknown option `--verison`' --verison

refuse_run 'no problem is named'
refuse_run 'unknown problem or model `heavytop`; did you mean `heavy_top`?' heavytop
refuse_run 'unknown problem or model `pendulm`; did you mean `pendulum`?' pendulm
refuse_run 'unknown problem or model `zzz`; choose `pendulum`' zzz
refuse_run 'unexpected argument `cube` after `pendulum`' pendulum cube
refuse_run 'unknown option `--stp`; did you mean `--step`?' pendulum --stp 1
refuse_run 'unknown option `-x`' pendulum -x
refuse_run '--json takes no value' pendulum --json=1
refuse_run '--step is given twice' pendulum --step 1e-3 --step 1e-2
refuse 'needs a value' run pendulum --step

refuse_run 'unknown method `ga4`; did you mean `ga3`?' pendulum --method ga4
refuse_run 'unknown start `pertubed`; did you mean `perturbed`?' pendulum --start pertubed
refuse_run 'unknown difference formula `backward`' pendulum --difference backward
refuse_run '--rho and --params exclude each other' pendulum --rho 0.9 --params ch:0.9
refuse_run '--rho is given twice' pendulum --rho 0.9 --rho 0.8
refuse_run '--rho: 1.5 is outside 0 to 1' pendulum --rho 1.5
refuse_run '--rho: -0.1 is outside 0 to 1' pendulum --rho -0.1
refuse_run '--rho: `nan` is not finite' pendulum --rho nan
refuse_run 'family' pendulum --params chh:0.9
refuse_run 'hht' pendulum --params hht:-0.9
refuse_run 'takes 1 value' pendulum --params ch:0.9,0.8
refuse_run '--expert' pendulum --params free:0,0,0.25,0.6

for option in --step --newton-rtol --newton-atol --max-step --min-step; do
    refuse_run "$option: \`0\` is not positive" pendulum $option 0
    refuse_run "$option: \`-1e-3\` is not positive" pendulum $option -1e-3
    refuse_run "$option: \`1e-3x\` is not a number" pendulum $option 1e-3x
    refuse_run "$option: \`\` is not a number" pendulum $option ''
    refuse_run "$option: \`nan\` is not finite" pendulum $option nan
    refuse_run "$option: \`inf\` is not finite" pendulum $option inf
    refuse_run "$option: \`1e999\` is not finite" pendulum $option 1e999
done
refuse_run '--end: `1,5` is not a number' pendulum --end 1,5
refuse_run '--end: `-inf` is not finite' pendulum --end -inf
refuse_run '--end: -1 is before the start, t = 0' pendulum --end -1
refuse_run 'more than 1e10; choose a larger step' pendulum --step 1e-12
refuse_run 'more than 1e10; choose a larger step' pendulum --end 1e300
for every in 0 -3 1.5 x '' 99999999999999999999; do
    refuse_run "--every: \`$every\` is not a count" pendulum --every "$every"
done

refuse_run '--set: `x0` is not a setting; write NAME=VALUE' pendulum --set x0
refuse_run '--set: `=1` is not a setting' pendulum --set =1
refuse_run '--set: `0.2y` is not a number' pendulum --set x0=0.2y
refuse_run '--set: `` is not a number' pendulum --set x0=
refuse_run 'unknown parameter `x1`; did you mean `x0`?' pendulum --set x1=0.2
refuse_run '--set: `x0` is set twice' pendulum --set x0=0.2 --set x0=0.1
refuse_run 'x0' pendulum --set x0=7
refuse '--out: the file' run pendulum --out ''
refuse 'both want standard output' run pendulum --json --out -

refuse '--steps is missing' converge pendulum
refuse '--steps: entry 3 of `1e-2,5e-3,` is empty' converge pendulum --steps 1e-2,5e-3,
refuse '--steps: entry 1 of `,1e-2` is empty' converge pendulum --steps ,1e-2
refuse '--steps: entry 2 of `1e-2,,1e-3` is empty' converge pendulum --steps 1e-2,,1e-3
refuse '--steps: `nan` is not finite' converge pendulum --steps 1e-2,nan
refuse '--steps: `inf` is not finite' converge pendulum --steps inf
refuse '--steps: `-1e-2` is not positive' converge pendulum --steps -1e-2
refuse '--steps: `0` is not positive' converge pendulum --steps 1e-2,0
refuse '--steps: `1e-3x` is not a number' converge pendulum --steps 1e-3x,1e-2
refuse 'does not divide the time span 1; the nearest step that does is 0.3333333333333333' \
    converge pendulum --end 1 --steps 0.1,0.3
refuse 'the nearest step that does is 1' converge pendulum --end 1 --steps 5
refuse 'more than 1e10' converge pendulum --steps 1e-13
refuse 'is not after the start' converge pendulum --end 0 --steps 0.1
refuse 'is not after the start' converge pendulum --end -1 --steps 0.1
refuse 'unknown norm `mx`; did you mean `max`?' converge pendulum --norm mx --steps 0.1
refuse '--skip has no meaning with --norm end' converge pendulum --norm end --skip 1 --steps 0.1
refuse '--skip: 3 is after the end' converge pendulum --end 1 --skip 3 --steps 0.1
refuse 'unknown problem or model `heavytop`; did you mean `heavy_top`?' converge heavytop --steps 0.1
refuse 'unknown option `--out`' converge pendulum --steps 0.1 --out "$keep"
refuse '--expert' converge pendulum --steps 0.1 --params free:0,0,0.25,0.6

refuse 'unknown problem `pendulm`; did you mean `pendulum`?' problems pendulm
refuse 'unexpected argument `cube`' problems pendulum cube
refuse 'unknown option `--jsn`; did you mean `--json`?' problems --jsn

# A file that is not a model is named where it is included; nothing of it is quoted.
printf 'password: hunter2\ntoken: hunter3\npassword: hunter4\nname: hunter5\n' >"$work/secret.conf"
printf 'password: hunter2\npassword: hunter4\n  broken: [hunter6\n' >"$work/broken.conf"
printf -- '- password: hunter2\n  password: hunter3\n' >"$work/list.conf"
for file in secret broken list; do
    printf 'cardan: 1\ngravity: [0, 0, 0]\nbodies: [{name: a, type: point, mass: 1}]\ninclude: %s.conf\n' \
        "$file" >"$work/including.yaml"
    refuse "$file.conf" run "$work/including.yaml"
    same "$file.conf: lines" "$(wc -l <"$work/err")" 1
    ! grep -qE 'hunter|password|token' "$work/err" || fail "$file.conf is quoted: $(cat "$work/err")"
done
printf 'cardan: 1\ngravity: [0, 0, 0]\nbodies: [{name: a, type: point, mass: 1}]\ninclude: secret.conf\n' \
    >"$work/including.yaml"
refuse 'including.yaml:4:10: `secret.conf` is not a model file' run "$work/including.yaml"

# Signals whose terms are shared: as a tree 2^60 evaluations.
{
    printf 'cardan: 1\ngravity: [0, 0, 0]\nbodies: [{name: a, type: point, mass: 1}]\nsignals:\n'
    printf '  - {name: s0, type: constant, value: 1.0e-18}\n'
    for i in $(seq 60); do
        printf '  - {name: s%d, type: sum, terms: [s%d, s%d]}\n' "$i" $((i - 1)) $((i - 1))
    done
    printf 'forces: [{name: f, type: applied, body: a, signal: s60, force: [1, 0, 0]}]\n'
    printf 'solver: {end: 1, step: 0.1}\n'
} >"$work/deep.yaml"
last="timeout 60 cardan run deep.yaml"
timeout 60 "$cardan" run "$work/deep.yaml" --out "$work/deep.csv" >"$work/out" 2>"$work/err" ||
    fail "$last: exit code $?"
near "$last: x(1) of 2^60 1e-18 t^2/2" "$(column "$work/deep.csv" a.x | tail -1)" 0.576460752303423488 1e-12
sed 's/terms: \[s59, s59\]/terms: [s59, s60]/' "$work/deep.yaml" >"$work/circle.yaml"
refuse 'circle.yaml:65:41: the signal `s60` is a part of itself' run "$work/circle.yaml"
# Steps that no run can make to its end.
code 2 run pendulum --max-step 1e-320 --end 1
says "max_step"
code 2 run pendulum --min-step 1e-320 --end 1
says "min_step"
code 1 run pendulum --max-step 1e-15 --end 1 --out "$work/never.csv"
says "more than 1e+10 steps"

finish
