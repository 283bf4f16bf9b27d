# HDF5 results: the same numbers as in CSV, groups and units, files of killed runs, restarts, and
# files that are none of ours. h5dump and h5ls (Debian: hdf5-tools) look at them independently.
. "$(dirname "$0")/support.sh"
models=$(dirname "$0")/../../models
h5=$work/run.h5
csv=$work/run.csv

"$cardan" run pendulum --end 0 --out "$h5" >/dev/null 2>"$work/err"
if grep -q "built without HDF5" "$work/err"; then
    echo "SKIPPED: this program was built without HDF5 (Debian: libhdf5-dev)"
    exit 0
fi
tools=yes
command -v h5dump >/dev/null && command -v h5ls >/dev/null || {
    tools=no
    echo "SKIPPED IN PART: no h5dump and h5ls (Debian: hdf5-tools)"
}

identical() { # WHAT ONE TWO
    checks=$((checks + 1))
    cmp -s "$2" "$3" || fail "$1: $(cmp "$2" "$3" 2>&1 | head -1)"
}

# The rows of a run in HDF5, as CSV, are those of the same run in CSV.
both() { # OPTIONS...
    code 0 run "$@" --out "$csv"
    code 0 run "$@" --out "$h5"
    code 0 convert "$h5" "$work/back.csv"
    silent
    identical "$*: HDF5 to CSV" "$csv" "$work/back.csv"
}
both heavy_top --end 0.05
both pendulum --step 1e-3 --end 5
both double_pendulum --rtol 1e-4 --method ga3 --sample 0.01 --end 2
both pendulum --set x0=0.2 --step 1e-2 --end 0.5 --energy-balance --project-at 0.1,0.15
both bouncing_pendulum --rtol 1e-3 --set wall=0.3 --energy-balance
both rolling_disk --step 1e-2 --end 0.5 --method nonholonomic
both jn2 --step 1e-2 --end 0.5 --method hht3 --stages
both two_particles --step 1e-2 --end 0.5 --method conserving
both "$models/suspension.yaml" --end 0.2
both "$models/four_bar.yaml" --end 0.5
code 0 convert "$csv" "$work/again.h5"
code 0 convert "$work/again.h5" "$work/back.csv"
identical "CSV to HDF5 to CSV" "$csv" "$work/back.csv"

# What is in it, seen by others.
if [ $tools = yes ]; then
    dump() { # DATASET: its numbers, one a line
        h5dump -y -w 1 -m "%.17g" -d "$1" "$h5" | sed -n '/ DATA {/,/ }/p' |
            grep -v '[{}"]' | tr -d ' ,' | grep .
    }
    dump /Time >"$work/a"
    column "$csv" t >"$work/b"
    identical "/Time" "$work/a" "$work/b"
    dump /Bodies/crank/pos | sed -n 2~3p >"$work/a"
    column "$csv" crank.y >"$work/b"
    identical "second column of /Bodies/crank/pos" "$work/a" "$work/b"
    dump /Joints/C/force | sed -n 1~3p >"$work/a"
    column "$csv" C.fx >"$work/b"
    identical "first column of /Joints/C/force" "$work/a" "$work/b"
    same "units of forces" "$(h5dump -a /Joints/C/force/unit "$h5" | grep -c '"N"')" 1
    same "units of torques" "$(h5dump -a /Joints/C/torque/unit "$h5" | grep -c '"N m"')" 1
    same "compressed datasets" "$(h5dump -p -H -d /Bodies/crank/pos "$h5" | grep -c DEFLATE)" 1
    for group in Bodies Joints Energy Health Steps Events Settings Statistics Scene Model; do
        same "/$group" "$(h5ls "$h5/$group" >/dev/null 2>&1 && echo there)" there
    done
    same "method" "$(h5dump -a /method "$h5" | grep -c '"auto"')" 1
    same "status" "$(h5dump -a /status "$h5" | grep -c '"done"')" 1
    # Steps: as many as were taken, and their sizes add up.
    code 0 run "$models/four_bar.yaml" --end 0.5 --rtol 1e-5 --out "$h5" --json
    same "steps in the file" "$(dump /Steps/h | wc -l)" "$(json statistics.steps)"
    near "sum of the steps" "$(dump /Steps/h | awk '{ s += $1 } END { printf "%.15g", s }')" 0.5 1e-12
    same "iterations" "$(dump /Steps/iterations | awk '{ s += $1 } END { print s }')" \
        "$(json statistics.iterations)"
    # The energy balance of the steps closes.
    same "steps whose energy does not add up" "$(paste <(dump /Steps/kinetic) <(dump /Steps/potential) \
        <(dump /Steps/work) <(dump /Steps/dE_i) <(dump /Steps/dE_p) <(dump /Steps/dE_e) |
        awk -v first="$(json energy.start.total)" '{ d = $1 + $2 - first - $3 - $4 - $5 - $6
            if (d < 0) d = -d; if (d > 1e-9) n++ } END { print n + 0 }')" 0
    code 0 run bouncing_pendulum --rtol 1e-3 --set wall=0.3 --out "$h5" --json --events "$work/events.csv"
    dump /Events/t >"$work/a"
    column "$work/events.csv" t >"$work/b"
    identical "times of events" "$work/a" "$work/b"
fi

# Kills at random moments: the file is whole and holds the first rows of the run.
first_rows() { # WHAT: $work/back.csv is how $work/clean.csv begins
    checks=$((checks + 1))
    cmp -s "$work/back.csv" <(head -n "$(wc -l <"$work/back.csv")" "$work/clean.csv") ||
        fail "$1: not the first rows of the run"
}
RANDOM=17
run="heavy_top --step 1e-5 --end 0.5 --every 20 --quiet"
# shellcheck disable=SC2086
code 0 run $run --out "$work/clean.csv"
kills=0
for i in 1 2 3 4 5 6 7 8 9 10; do
    rm -f "$h5"
    # shellcheck disable=SC2086
    doomed run $run --out "$h5" 2>>"$work/lives" &
    life=$!
    sleep "0.$((RANDOM % 9 + 1))$((RANDOM % 10))"
    kill -9 $life 2>/dev/null
    wait $life 2>/dev/null
    [ $? -eq 137 ] && kills=$((kills + 1))
    [ -f "$h5" ] || continue
    code 0 convert "$h5" "$work/back.csv"
    first_rows "kill $i"
    if [ $tools = yes ]; then
        # A kill within a flush may leave the mark "is being written", which h5clear takes off.
        h5ls -r "$h5" >/dev/null 2>&1 || h5clear -s "$h5" 2>/dev/null
        # Within a flush tables are longer already than the rows that count.
        below "kill $i: rows that h5ls sees" "$(tail -n +2 "$work/back.csv" | wc -l)" \
            "$(($(h5ls "$h5/Time" | tr -dc '0-9/\n' | cut -d/ -f1) + 1))"
    fi
done
below "runs that were not killed" "$((10 - kills))" 10

# Killed and restarted until it is done, however often.
code 0 run heavy_top --rtol 1e-3 --end 1 --every 5 --quiet --out "$work/clean.csv"
ckp=$work/run.ckp
rm -f "$h5" "$ckp"
lives=0 ended=1
while [ $ended -ne 0 ] && [ $lives -lt 100 ]; do
    lives=$((lives + 1))
    if [ -f "$ckp" ]; then
        doomed run --restart "$ckp" --quiet 2>>"$work/lives" &
    else
        doomed run heavy_top --rtol 1e-3 --end 1 --every 5 --quiet --out "$h5" --checkpoint "$ckp" \
            --checkpoint-steps 50 2>>"$work/lives" &
    fi
    life=$!
    [ $lives -lt 12 ] && sleep "0.0$((RANDOM % 9 + 1))" && kill -9 $life 2>/dev/null
    wait $life 2>/dev/null
    ended=$?
done
same "messages of all lives" "$(cat "$work/lives")" ""
below "lives" $lives 100
code 0 convert "$h5" "$work/back.csv"
identical "after $lives lives" "$work/clean.csv" "$work/back.csv"
if [ $tools = yes ]; then # and its steps are those of a run that was not killed
    for name in t h iterations factored rejected error phi kinetic dE_i; do
        dump "/Steps/$name" >"$work/steps.$name"
    done
    code 0 run heavy_top --rtol 1e-3 --end 1 --every 5 --quiet --out "$h5"
    for name in t h iterations factored rejected error phi kinetic dE_i; do
        dump "/Steps/$name" >"$work/steps"
        identical "/Steps/$name after $lives lives" "$work/steps.$name" "$work/steps"
    done
fi

# A finished file is gone on with as well; another kind of file, a shorter and an edited one are not.
code 0 run pendulum --step 1e-2 --end 1 --out "$csv"
code 0 run pendulum --step 1e-2 --end 1 --out "$h5" --checkpoint "$ckp" --checkpoint-steps 40
cp "$h5" "$work/kept.h5"
code 2 run --restart "$ckp" --out "$csv"
says "continue with a file of that kind"
code 0 convert "$h5" "$work/short.h5" --to 0.2
code 2 run --restart "$ckp" --out "$work/short.h5"
says "shorter than when the checkpoint was written"
sed '5s/1/2/' "$csv" >"$work/edited.csv"
code 0 convert "$work/edited.csv" "$work/edited.h5"
code 2 run --restart "$ckp" --out "$work/edited.h5"
says "does not contain the rows of the run"
code 2 run --restart "$ckp" --out "$work/none.h5"
says "cannot go on with $work/none.h5: No such file"
identical "after the refusals" "$h5" "$work/kept.h5"
code 0 run --restart "$ckp"
code 0 convert "$h5" "$work/back.csv"
identical "restarted" "$csv" "$work/back.csv"
same "files left over" "$(ls "$work" | grep -c '\.tmp$')" 0

# Names of any kind come back as they were.
python3 - "$work/names.csv" <<'P'
import sys
names = ["t", "a/b", "a%b", "..", '"quoted", with comma', "emoji \U0001f600.\u00e4/x", "x" * 5000,
         "<script>alert(1)</script>", "tab\there", "same", "same", ".", "%2F", "last."]
quote = lambda n: '"' + n.replace('"', '""') + '"' if '"' in n or "," in n else n
with open(sys.argv[1], "w", encoding="utf-8") as f:
    f.write(",".join(map(quote, names)) + "\n")
    for k in range(3):
        f.write(",".join(str(k * 100 + i) for i in range(len(names))) + "\n")
P
code 0 convert "$work/names.csv" "$h5"
code 0 convert "$h5" "$work/back.csv"
identical "hostile names" "$work/names.csv" "$work/back.csv"

# Files that are none of ours, or damaged.
refused() { # TEXT FILE
    code 1 convert "$2" "$work/out.csv"
    says "$1"
}
cp "$work/kept.h5" "$h5"
head -c 3000 "$h5" >"$work/bad.h5"
refused "cannot read $work/bad.h5" "$work/bad.h5"
head -c 8 "$h5" >"$work/bad.h5"
refused "cannot read $work/bad.h5" "$work/bad.h5"
python3 - "$h5" "$work" <<'P'
import random, sys
random.seed(3)
data = open(sys.argv[1], "rb").read()
for i in range(40):
    changed = bytearray(data)
    for _ in range(20):
        changed[random.randrange(8, len(data))] = random.randrange(256)
    open(f"{sys.argv[2]}/damaged{i}.h5", "wb").write(changed)
P
for bad in "$work"/damaged*.h5; do
    checks=$((checks + 1))
    timeout 60 "$cardan" convert "$bad" "$work/out.csv" >/dev/null 2>"$work/err"
    [ $? -le 1 ] || fail "$bad: $(head -3 "$work/err")"
done
if command -v h5import >/dev/null; then
    printf '1.0 2.0\n3.0 4.0\n' >"$work/foreign.txt"
    h5import "$work/foreign.txt" -d 2,2 -p data -t TEXTFP -s 64 -o "$work/foreign.h5" >/dev/null 2>&1
    refused "not a result of" "$work/foreign.h5"
fi

# What cannot be written is said.
code 1 run pendulum --end 0.1 --out "$work/none/x.h5"
says "cannot write $work/none/x.h5: No such file"
code 1 convert "$csv" "$work/none/x.h5"
says "cannot write $work/none/x.h5: No such file"
finish
