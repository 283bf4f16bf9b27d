# Failures while running: exit code 1, the reason, and everything computed so far on disk.
. "$(dirname "$0")/support.sh"
csv=$work/partial.csv

# Output that cannot be written.
code 1 run pendulum --out "$work/missing/result.csv"
says "cannot write $work/missing/result.csv: No such file or directory"
code 1 run pendulum --out "$work"
says 'Is a directory'
if [ -w /dev/full ]; then
    code 1 run pendulum --out /dev/full
    says 'cardan: run: cannot write /dev/full: No space left on device'
    same "/dev/full: messages" "$(wc -l <"$work/err")" 1
    for arguments in 'run pendulum' 'run pendulum --json' 'problems' 'problems --json' '--help' \
        '--version' 'converge pendulum --end 1 --steps 0.1' 'run --help'; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086
        "$cardan" $arguments >/dev/full 2>"$work/err"
        same "cardan $arguments >/dev/full" "$?" 1
        last="cardan $arguments >/dev/full"
        says 'cannot write'
        says 'No space left on device'
    done
fi

# A reader that goes away is an error, not a silent end.
{
    "$cardan" run heavy_top 2>"$work/err"
    echo $? >"$work/code"
} | head -2 >/dev/null
last='cardan run heavy_top | head -2'
same "closed pipe: exit code" "$(cat "$work/code")" 1
says 'cannot write standard output: Broken pipe'

# A step that does not converge (far too long for this motion): the rows before it stay.
long='run double_pendulum --method ga3 --step 0.5 --end 100'
# shellcheck disable=SC2086
code 1 $long --out "$csv"
says 'cardan: run: at t = '
says 'try a smaller step'
says "in $csv"
rows=$(tail -n +2 "$csv" | wc -l)
below "rows are not complete" "$rows" 200
below "rows before the failure" 1 "$rows"
same "partial rows: numbers of fields" "$(awk -F, '{ print NF }' "$csv" | sort -u | wc -l)" 1
same "partial rows: last byte" "$(tail -c1 "$csv" | od -An -c | tr -d ' ')" '\n'
same "failing time" "$(sed -n 's/^cardan: run: at t = \([0-9.]*\):.*/\1/p' "$work/err")" \
    "$(column "$csv" t | tail -1)"
# shellcheck disable=SC2086
code 1 $long
cmp -s "$work/out" "$csv" || fail "partial rows on stdout differ from those in a file"

# The same in JSON: valid, with status, reason and the last good state.
# shellcheck disable=SC2086
code 1 $long --json
valid_json
same "status" "$(json status)" NOT_CONVERGED
same "last good time" "$(awk -v a="$(json state.t)" -v b="$(column "$csv" t | tail -1)" 'BEGIN { print a - b }')" 0
same "failed steps" "$(json statistics.failures)" 1
same "reason" "$(json messages.0 | cut -c1-7)" 'at t = '

# converge goes on after a failed run, says why in its row, and ends with 1.
code 1 converge double_pendulum --method ga3 --end 10 --steps 0.5,1e-3
prints ' failed at t = '
same "table lines" "$(wc -l <"$work/out")" 7
says 'a run failed'
code 1 converge double_pendulum --method ga3 --end 10 --steps 0.5,1e-3 --json
valid_json
same "failed run" "$(json runs.0.errors.q)" null
same "its reason" "$(json runs.0.failure | cut -c1-7)" 'at t = '
below "the other run" "$(json runs.1.errors.q)" 1

finish
