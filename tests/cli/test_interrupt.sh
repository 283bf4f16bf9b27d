# Ctrl-C and SIGTERM: the step is finished, everything is written, the exit code is 130, and a
# checkpoint goes on bit for bit; the progress line; rows of a killed run are on the disk.
. "$(dirname "$0")/support.sh"
models=$(dirname "$0")/../../models
csv=$work/run.csv
hdf5=yes
"$cardan" run pendulum --end 0 --out "$work/try.h5" >/dev/null 2>&1 || hdf5=no

# A run of many minutes, in a terminal or not, that gets signals; what it printed comes to $work/out
# (terminal: all of it) and $work/err, the exit code to $got.
cat >"$work/signals.py" <<'P'
import os, pty, select, signal, subprocess, sys, time
mode, signals, after, out, err = sys.argv[1:6]
command = sys.argv[6:]
def wait_for(path):  # until rows are in the file
    deadline = time.time() + 60
    while time.time() < deadline and not (os.path.exists(path) and os.path.getsize(path) > 2000):
        time.sleep(0.02)
file = command[command.index("--out") + 1]
if mode == "pty":
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    wait_for(file)
    shown, start, sent = b"", time.time(), 0
    while True:
        if time.time() - start > float(after) and sent < len(signals.split(",")):
            if signals == "KEY":
                os.write(fd, b"\x03")  # what the key Ctrl-C sends
            else:
                os.kill(pid, getattr(signal, signals.split(",")[sent]))
            sent += 1
        if not select.select([fd], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    open(out, "wb").write(shown)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
else:
    run = subprocess.Popen(command, stdout=open(out, "wb"), stderr=open(err, "wb"))
    wait_for(file)
    time.sleep(float(after))
    for name in signals.split(","):
        if run.poll() is None:
            run.send_signal(getattr(signal, name))
    code = run.wait(120)
print(code)
P
signalled() { # MODE SIGNALS SECONDS ARGUMENTS...
    local mode=$1 signals=$2 seconds=$3
    shift 3
    last="cardan $* ($mode, $signals)"
    rm -f "$csv" "$work/run.h5"
    got=$(timeout 200 python3 "$work/signals.py" "$mode" "$signals" "$seconds" "$work/out" "$work/err" \
        "$cardan" "$@")
}
long="--step 1e-5 --end 1000 --every 100"

# Signals without a terminal.
for name in SIGINT SIGTERM; do
    # shellcheck disable=SC2086
    signalled plain $name 0.2 run heavy_top $long --out "$csv"
    same "$last: exit code" "$got" 130
    says "interrupted at t = "
    says "rows up to there: "
    says "in $csv"
    prints "before the end"
    rows=$(($(wc -l <"$csv") - 1))
    same "$last: rows said and written" \
        "$(sed -n 's/.*rows up to there: \([0-9]*\),.*/\1/p' "$work/err")" "$rows"
    same "$last: fields of all rows" "$(awk -F, '{ print NF }' "$csv" | sort -u)" 25
    same "$last: end of the file" "$(tail -c 1 "$csv" | od -An -c | tr -d ' ')" '\n'
    near "$last: the last row is where it stopped" "$(column "$csv" t | tail -1)" \
        "$(sed -n 's/.*interrupted at t = \([^ ]*\) of.*/\1/p' "$work/err")" 1e-9
done
# shellcheck disable=SC2086
signalled plain SIGINT 0.2 run heavy_top $long --out "$csv" --json
same "$last: exit code" "$got" 130
valid_json
same "status in JSON" "$(json status)" interrupted

# A large model: little is printed, and what happened stands last.
"$cardan" generate chain --n 2000 --form planar --out "$work/chain.yaml"
checks=$((checks + 1))
"$cardan" run "$work/chain.yaml" --step 1e-4 --end 1000 --every 1000 --out "$csv" >"$work/both" 2>&1 &
life=$!
for wait in $(seq 300); do
    sleep 0.1
    [ -s "$csv" ] && break
done
sleep 0.5
kill -TERM $life # a shell lets its background jobs ignore SIGINT
wait $life
same "large model: exit code" $? 130
below "large model: lines" "$(wc -l <"$work/both")" 70
last="a large model that is interrupted"
tail -2 "$work/both" >"$work/out"
prints "interrupted at t = "

# The report is written as well, and one of a restarted run has the rows before the restart.
# shellcheck disable=SC2086
signalled plain SIGINT 0.2 run heavy_top $long --out "$csv" --report "$work/run.html"
same "$last: exit code" "$got" 130
same "$last: the report" "$(tail -c 200 "$work/run.html" 2>/dev/null | grep -c '</html>')" 1
if [ $hdf5 = yes ]; then
    short="pendulum --step 1e-2 --end 5 --quiet --out $work/run.h5"
    # shellcheck disable=SC2086
    code 0 run $short --checkpoint "$work/run.ckp" --checkpoint-steps 400 --report "$work/run.html"
    mv "$work/run.html" "$work/whole.html"
    code 0 run --restart "$work/run.ckp" --quiet
    near "size of the report after a restart" "$(wc -c <"$work/run.html")" "$(wc -c <"$work/whole.html")" 300
fi

# The second one ends the program at once: a signal's exit code, not ours.
# shellcheck disable=SC2086
signalled plain SIGSTOP,SIGINT,SIGINT,SIGCONT 0.2 run heavy_top $long --out "$csv"
case $got in
-2 | 130) checks=$((checks + 1)) ;;
*) fail "$last: exit code $got" ;;
esac

# With a checkpoint the run goes on as if nothing had happened.
code 0 run heavy_top --step 1e-4 --end 2 --every 3 --quiet --out "$work/clean.csv"
interrupted=0
go_on() { # FILE
    rm -f "$work/run.ckp"
    signalled plain SIGINT 0.05 run heavy_top --step 1e-4 --end 2 --every 3 --quiet --out "$1" \
        --checkpoint "$work/run.ckp"
    [ "$got" -eq 0 ] && return # it was faster than the signal
    interrupted=$((interrupted + 1))
    same "$last: exit code" "$got" 130
    says "--restart $work/run.ckp"
    code 0 run --restart "$work/run.ckp" --quiet
}
for i in 1 2 3; do
    go_on "$csv"
    checks=$((checks + 1))
    cmp -s "$csv" "$work/clean.csv" || fail "restart $i after Ctrl-C: other rows"
done
if [ $hdf5 = yes ]; then
    for i in 1 2 3; do
        go_on "$work/run.h5"
        code 0 convert "$work/run.h5" "$csv"
        checks=$((checks + 1))
        cmp -s "$csv" "$work/clean.csv" || fail "restart $i of HDF5 after Ctrl-C: other rows"
    done
    # shellcheck disable=SC2086
    signalled plain SIGINT 0.3 run heavy_top $long --out "$work/run.h5"
    same "$last: exit code" "$got" 130
    code 0 convert "$work/run.h5" "$csv"
    near "HDF5: the last row is where it stopped" "$(column "$csv" t | tail -1)" \
        "$(column "$csv" t | tail -2 | head -1)" 1e-2
fi
below "runs that were not interrupted" "$((6 - interrupted))" 6

# On a terminal: the progress line, erased at the end, and the key Ctrl-C.
# shellcheck disable=SC2086
signalled pty KEY 2.5 run heavy_top $long --out "$csv"
same "$last: exit code" "$got" 130
tr '\r' '\n' <"$work/out" >"$work/lines"
checks=$((checks + 1))
grep -qE 'cardan: 0 %  t = [0-9.e-]+ of 1000 s  in [0-9]+ s  \([0-9.e+-]+ s/s\)  step [0-9]+ of 1e-05 s' \
    "$work/lines" || fail "no progress line: $(head -c 300 "$work/lines")"
same "progress lines that are too long" \
    "$(grep '^cardan: 0 %' "$work/lines" | sed 's/\x1b.*//' | awk 'length > 79' | wc -l)" 0
same "progress lines left" "$(python3 - "$work/out" <<'P'
import sys
# What a terminal would show: carriage return goes to the begin, ESC [ K erases the rest.
text = open(sys.argv[1], newline="").read()
lines, line, at = [], "", 0
i = 0
while i < len(text):
    if text[i] == "\n":
        lines.append(line); line, at = "", 0
    elif text[i] == "\r":
        at = 0
    elif text.startswith("\x1b[K", i):
        line = line[:at]; i += 2
    else:
        line = line[:at] + text[i] + line[at + 1:]; at += 1
    i += 1
lines.append(line)
print(sum(" % " in l or " s/s" in l for l in lines))
P
)" 0
# shellcheck disable=SC2086
signalled pty SIGINT 2.5 run heavy_top $long --out "$csv" --quiet
same "$last: exit code" "$got" 130
same "progress with --quiet" "$(grep -c ' s/s' "$work/out")" 0
# shellcheck disable=SC2086
signalled plain SIGINT 2.5 run heavy_top $long --out "$csv"
same "progress in a pipe" "$(grep -c ' s/s' "$work/err" "$work/out" | cut -d: -f2 | sort -u)" 0

# Rows come to the disk while the run goes on, and whole: a row is written every 20 000 steps, so
# that a buffer of 64 kB would take many times longer to fill than we wait.
slow="--step 1e-5 --end 1000 --every 20000"
for file in run.csv run.h5; do
    [ $file = run.h5 ] && [ $hdf5 = no ] && continue
    rm -f "$work/$file"
    # shellcheck disable=SC2086
    "$cardan" run heavy_top $slow --quiet --out "$work/$file" &
    life=$!
    for wait in $(seq 300); do
        sleep 0.1
        [ -f "$work/$file" ] || continue
        if [ $file = run.csv ]; then
            cp "$work/$file" "$work/seen.csv"
        else
            "$cardan" convert "$work/$file" "$work/seen.csv" --quiet || fail "a file that is being written"
        fi
        [ "$(wc -l <"$work/seen.csv")" -gt 5 ] && break
    done
    kill -9 $life
    wait $life 2>/dev/null
    rows=$(($(wc -l <"$work/seen.csv") - 1))
    below "$file: bytes of the rows that were seen" "$(wc -c <"$work/seen.csv")" 60000
    same "$file: rows were seen while it ran" "$([ "$rows" -ge 4 ] && echo yes)" yes
    same "$file: no row is torn" "$(awk -F, '{ print NF }' "$work/seen.csv" | sort -u)" 25
done
finish
