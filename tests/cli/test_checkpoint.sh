# Checkpoint files: a run that is killed and restarted, however often, writes the same bytes as one
# that is not; files that are damaged or of another run are refused and nothing is lost.
. "$(dirname "$0")/support.sh"
csv=$work/result.csv
clean=$work/clean.csv
ckp=$work/run.ckp

# identical WHAT ONE TWO
identical() {
    checks=$((checks + 1))
    cmp -s "$2" "$3" || fail "$1: $(cmp "$2" "$3" 2>&1 | head -1)"
}

# The JSON summary without what may differ: the time it took, the file's name, and the check run,
# which is at what is left of the run.
summary() {
    sed '/"check_run": {/,/}/d' "$work/out" | grep -v -e '"seconds":' -e '"file":'
}

# Going on from the middle: the last checkpoint is older than the end of the CSV.
middle() { # STEPS OPTIONS...
    local steps=$1
    shift
    code 0 run "$@" --out "$clean" --json
    summary >"$work/expected"
    code 0 run "$@" --out "$csv" --checkpoint "$ckp" --checkpoint-steps "$steps"
    identical "$* with checkpoints" "$csv" "$clean"
    echo garbage >>"$csv"
    code 0 run --restart "$ckp" --json
    silent
    identical "$* restarted" "$csv" "$clean"
    summary >"$work/got"
    identical "$* restarted, summary" "$work/got" "$work/expected"
}
middle 60 heavy_top --step 1e-3 --end 0.1
middle 60 heavy_top --step 1e-3 --end 0.1 --method ga3 --rho 0.9 --every 7
middle 100 heavy_top --step 1e-3 --end 0.1
middle 1000 heavy_top --step 1e-3 --end 0.1
middle 13 pendulum --set x0=0.2 --step 1e-2 --end 0.207 --energy-balance --project-at 0.1,0.15
middle 60 pendulum --step 1e-2 --end 1 --sample 0.0033
middle 30 rolling_disk --step 1e-2 --end 0.5 --method nonholonomic --mass previous
middle 60 jn2 --step 5e-3 --end 0.5 --method hht3 --params hht:-0.2
middle 60 double_pendulum --rtol 1e-4
middle 60 stick_slip --step 1e-2 --end 3
middle 70 bouncing_pendulum --rtol 1e-3 --set wall=0.3 --energy-balance
middle 60 double_pendulum --rtol 1e-3 --method ga3 --every 7 --end 3
middle 60 heavy_top --rtol 1e-2 --end 0.2 --sample 0.0033
middle 1000000 pendulum --rtol 1e-4 --end 0.5
middle 1 pendulum --rtol 1e-4 --end 0.1 --energy-balance
middle 30 two_particles --step 1e-2 --end 0.5 --method conserving

# The options come from the file; those that say nothing about the result may be others.
code 0 run pendulum --step 1e-2 --end 1 --out "$clean"
code 0 run pendulum --step 1e-2 --end 1 --out "$csv" --checkpoint "$ckp" --checkpoint-steps 40
mv "$csv" "$work/moved.csv"
code 0 run pendulum --restart "$ckp" --step 0.01 --out "$work/moved.csv" --stats \
    --checkpoint "$work/other.ckp" --checkpoint-every 1e-9
identical "moved CSV" "$work/moved.csv" "$clean"
code 0 run --restart "$work/other.ckp"
identical "restart of a restart" "$work/moved.csv" "$clean"

# Refusals: exit code 2, a reason, and the CSV stays as it is.
refused() { # TEXT ARGUMENTS...
    local text=$1
    shift
    code 2 run "$@"
    says "$text"
    identical "CSV after: $last" "$csv" "$work/kept.csv"
}
code 0 run pendulum --step 1e-2 --end 1 --set x0=0.2 --out "$csv" --checkpoint "$ckp" \
    --checkpoint-steps 40
cp "$csv" "$work/kept.csv"
refused "with PROBLEM pendulum, not heavy_top" heavy_top --restart "$ckp"
refused "with --step 1e-2, not 2e-2" --restart "$ckp" --step 2e-2
refused "with --end 1, not 2" --restart "$ckp" --end 2
refused "with --set x0=0.2, not x0=0.3" --restart "$ckp" --set x0=0.3
refused "was not given --method ga3" --restart "$ckp" --method ga3
refused "was not given --energy-balance" --restart "$ckp" --energy-balance
refused "No such file" --restart "$work/none.ckp"
refused "this is no file" --restart "$work"
refused "no checkpoint of cardan run" --restart "$csv"
refused "the file's name is empty" --restart ""

code 0 run pendulum --method ga2s --rtol 1e-4 --end 1 --out "$csv" --checkpoint "$ckp" --checkpoint-steps 40
cp "$csv" "$work/kept.csv"
refused "with --rtol 1e-4, not 1e-5" --restart "$ckp" --rtol 1e-5
refused "was not given --step" --restart "$ckp" --step 1e-2
refused "with PROBLEM pendulum, not jn2" jn2 --restart "$ckp"

size=$(wc -c <"$ckp")
for length in 0 1 7 8 39 40 100 200 $((size / 2)) $((size - 8)) $((size - 1)); do
    head -c "$length" "$ckp" >"$work/bad.ckp"
    refused "truncated" --restart "$work/bad.ckp"
done
{ cat "$ckp" && echo; } >"$work/bad.ckp"
refused "damaged" --restart "$work/bad.ckp"
python3 - "$ckp" "$work" <<'P'
import sys
data = open(sys.argv[1], "rb").read()
size = len(data)
for i, at in enumerate([0, 8, 12, 16, 24, 32, 40, 60, 100, 200, size // 2, size - 9, size - 1]):
    changed = bytearray(data)
    changed[at] ^= 0x10
    open(f"{sys.argv[2]}/damaged{i}.ckp", "wb").write(changed)
P
for bad in "$work"/damaged*.ckp; do
    refused "--restart: $bad: " --restart "$bad"
done
# Options that cannot be read, under a checksum that is right: leaks are the sanitizer's to find.
python3 - "$ckp" "$work/options.ckp" <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
options = 48  # behind the header
end = data.index(0, options)
data[end] = 65  # name and value in one: an odd number of words
hash = 0xcbf29ce484222325
for byte in data[:-8]:
    hash = ((hash ^ byte) * 0x100000001b3) & (2**64 - 1)
data[-8:] = struct.pack("=Q", hash)
open(sys.argv[2], "wb").write(data)
P
refused "its options cannot be read" --restart "$work/options.ckp"
code 2 info "$work/options.ckp"
says "its options cannot be read"
same "damaged files" "$(ls "$work"/damaged*.ckp | wc -l)" 13

# The CSV must hold the rows of the run.
head -c 100 "$work/kept.csv" >"$work/short.csv"
refused "shorter than when the checkpoint was written" --restart "$ckp" --out "$work/short.csv"
same "size of the short CSV" "$(wc -c <"$work/short.csv")" 100
sed '5s/1/2/' "$work/kept.csv" >"$work/edited.csv"
cp "$work/edited.csv" "$work/edited.kept"
refused "does not contain the rows of the run" --restart "$ckp" --out "$work/edited.csv"
identical "edited CSV" "$work/edited.csv" "$work/edited.kept"
refused "cannot go on with $work/none.csv" --restart "$ckp" --out "$work/none.csv"
code 0 run --restart "$ckp"
identical "after all refusals" "$csv" "$work/kept.csv"

# What makes no sense, and what cannot be written.
refused "needs --out FILE" pendulum --checkpoint "$ckp"
refused "needs --out FILE" pendulum --checkpoint "$ckp" --out -
refused "say where" pendulum --out "$csv" --checkpoint-steps 10
refused "the same file" pendulum --out "$csv" --checkpoint "$csv"
refused "not positive" pendulum --out "$csv" --checkpoint "$ckp" --checkpoint-every 0
refused "is not a count" pendulum --out "$csv" --checkpoint "$ckp" --checkpoint-steps 0
code 1 run pendulum --end 0.1 --out "$work/x.csv" --checkpoint "$work/none/x.ckp"
says "cannot write $work/none/x.ckp: No such file"

# 50 kills at random moments: killed OPTIONS...
killed() {
    local kills=0 lives=0 life
    code 0 run "$@" --out "$clean"
    rm -f "$csv" "$ckp"
    while [ "$kills" -lt 50 ] && [ "$lives" -lt 400 ]; do
        lives=$((lives + 1))
        if [ -f "$ckp" ]; then
            doomed run --restart "$ckp" --quiet 2>>"$work/lives" &
        else
            doomed run "$@" --out "$csv" --checkpoint "$ckp" --checkpoint-steps 100 \
                2>>"$work/lives" &
        fi
        life=$!
        sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
        kill -9 $life 2>/dev/null
        wait $life 2>/dev/null
        case $? in
        137) kills=$((kills + 1)) ;;
        0) # done before the kill: the whole way again
            identical "$*: CSV after $kills kills" "$csv" "$clean"
            rm -f "$csv" "$ckp"
            ;;
        *)
            fail "$*: life $lives after $kills kills: $(tail -1 "$work/lives")"
            break
            ;;
        esac
    done
    same "kills" "$kills" 50
    if [ -f "$ckp" ]; then
        code 0 run --restart "$ckp" --quiet
        silent
    else
        code 0 run "$@" --out "$csv"
    fi
    identical "$*: CSV after $kills kills" "$csv" "$clean"
}
RANDOM=4711
killed heavy_top --step 1e-4 --end 1.5 --every 5 --quiet
killed heavy_top --rtol 1e-3 --end 1 --every 5 --quiet
same "messages of all lives" "$(cat "$work/lives")" ""
finish
