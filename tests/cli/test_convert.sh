# cardan convert and cardan info: CSV in and out, selections of rows, what files are, refusals.
. "$(dirname "$0")/support.sh"
models=$(dirname "$0")/../../models
csv=$work/run.csv

code 0 run pendulum --step 1e-2 --end 1 --out "$csv"
code 0 convert "$csv" "$work/copy.csv"
prints "written      101 rows of 12 columns to $work/copy.csv"
cmp -s "$csv" "$work/copy.csv" || fail "CSV to CSV"
code 0 convert "$csv" -
silent
cmp -s "$csv" "$work/out" || fail "CSV to standard output"
code 0 convert "$csv" "$work/some.csv" --every 10 --from 0.3 --to 0.75 --quiet
same "rows that were chosen" "$(column "$work/some.csv" t | awk '{ printf "%.2f ", $1 }')" \
    "0.30 0.40 0.50 0.60 0.70 "
same "--quiet" "$(cat "$work/out")" ""

# A torn last line is left out; anything else that is wrong is told with its place.
head -c -7 "$csv" >"$work/torn.csv"
code 0 convert "$work/torn.csv" "$work/some.csv"
same "rows of a torn file" "$(tail -n +2 "$work/some.csv" | wc -l)" 100
refused() { # TEXT FILE
    code "${3:-1}" convert "$2" "$work/none.csv"
    says "$1"
    [ ! -e "$work/none.csv" ] || fail "$last: wrote something"
}
sed '5s/,/,x/' "$csv" >"$work/bad.csv"
refused "bad.csv:5: " "$work/bad.csv"
sed '7s/,[^,]*$//' "$csv" >"$work/bad.csv"
refused "bad.csv:7: 11 fields, but the first line names 12 columns" "$work/bad.csv"
: >"$work/empty.csv"
refused "no first line" "$work/empty.csv"
refused "No such file" "$work/missing.csv" 2
refused "is a folder" "$work" 2
refused "neither CSV nor HDF5" "$cardan"
refused "is a model" "$models/four_bar.yaml"
code 0 run pendulum --step 1e-2 --end 1 --out "$csv" --checkpoint "$work/run.ckp"
refused "is a checkpoint" "$work/run.ckp"
code 2 convert "$csv"
says "name the file to read and the file to write"
code 2 convert "$csv" "$work/x.txt"
says "what shall"
code 2 convert "$csv" "$work/a.csv" "$work/b.csv"
says "unexpected argument"
code 2 convert "$csv" "$work/a.csv" --every 0
says "is not a count"
code 1 convert "$csv" "$work/none/a.csv"
says "cannot write"

# info tells what a file is.
code 0 info "$csv"
prints "CSV result"
prints "101 of 12 columns, t = 0 to 1"
prints "multipliers  2: lambda, eta1"
code 0 info "$csv" --json
valid_json
same "kind" "$(json kind)" CSV
same "rows" "$(json rows)" 101
same "unit of the energy" "$(json columns.11.unit)" J
code 0 run "$models/four_bar.yaml" --end 0.1 --out "$work/four.csv"
code 0 info "$work/four.csv"
prints "bodies       3: crank, coupler, rocker"
prints "joints       4: A, B, C, D"
code 0 info "$work/run.ckp"
prints "checkpoint of cardan run"
prints "pendulum --step 1e-2 --end 1"
code 0 info "$work/run.ckp" --json
valid_json
same "rows in the checkpoint" "$(json rows)" 1
code 0 info "$models/robot.yaml"
prints "six-axis robot"
prints "joints       6"
code 0 info "$models/robot.yaml" --json
valid_json
head -c 100 "$work/run.ckp" >"$work/bad.ckp"
code 2 info "$work/bad.ckp"
says "bad.ckp: the file is truncated"
code 2 info "$cardan"
says "not a result, checkpoint or model"
code 2 info
says "name a file"
code 2 info "$work/missing"
says "No such file"
code 2 info "$csv" "$csv"
says "unexpected argument"
if "$cardan" run "$models/four_bar.yaml" --step 1e-3 --end 0.1 --out "$work/f.h5" --quiet 2>"$work/err"; then
    code 0 info "$work/f.h5"
    prints "HDF5 result"
    prints "title        four_bar"
    prints "status       done"
    prints "method       ga2s"
    code 0 info "$work/f.h5" --json
    valid_json
    near "steps" "$(json statistics.steps)" 100 0
    same "owner of a force" "$(python3 -c '
import json, sys
for c in json.load(open(sys.argv[1]))["columns"]:
    if c["name"] == "C.fx": print(c["owner"], c["quantity"], c["unit"], c["kind"])' "$work/out")" \
        "C force N joint"
else
    grep -q "built without HDF5" "$work/err" || fail "run to HDF5: $(head -1 "$work/err")"
    echo "SKIPPED IN PART: no HDF5"
fi
# A title cannot do anything to a terminal.
printf 'cardan: 1\nname: "a\\e[31m\\u0007<b>\\"x"\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\nsolver: {step: 0.1, end: 0.1}\n' \
    >"$work/evil.yaml"
if "$cardan" run "$work/evil.yaml" --out "$work/evil.h5" --quiet 2>/dev/null; then
    code 0 info "$work/evil.h5"
    same "escapes" "$(tr -d '\n' <"$work/out" | grep -c '[[:cntrl:]]')" 0
    code 0 info "$work/evil.h5" --json
    valid_json
fi
finish
