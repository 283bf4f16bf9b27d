# Failures while running: exit code 1, the reason, and everything computed so far on disk.
. "$(dirname "$0")/support.sh"
csv=$work/partial.csv

# Output that cannot be written.
code 1 run pendulum --out "$work/missing/result.csv"
says "cannot write $work/missing/result.csv: No such file or directory"
code 1 run pendulum --out "$work"
says 'it is a folder; name a file'
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
    "$cardan" run heavy_top --out - 2>"$work/err"
    echo $? >"$work/code"
} | head -2 >/dev/null
last='cardan run heavy_top --out - | head -2'
same "closed pipe: exit code" "$(cat "$work/code")" 1
says 'cannot write standard output: Broken pipe'

# A step that does not converge (far too long for this motion): the rows before it stay. Which step
# that is, is not for this test to say.
long='run double_pendulum --method ga3 --step 0.5 --end 100'
# shellcheck disable=SC2086
code 1 $long --out "$csv"
says 'cardan: run: at t = '
says 'take a smaller step'
says "in $csv"
rows=$(tail -n +2 "$csv" | wc -l)
below "rows are not complete" "$rows" 200
below "rows before the failure" 1 "$rows"
same "partial rows: numbers of fields" "$(awk -F, '{ print NF }' "$csv" | sort -u | wc -l)" 1
same "partial rows: last byte" "$(tail -c1 "$csv" | od -An -c | tr -d ' ')" '\n'
same "failing time" "$(sed -n 's/^cardan: run: at t = \([0-9.]*\):.*/\1/p' "$work/err")" \
    "$(column "$csv" t | tail -1)"
stopped=$(column "$csv" t | tail -1)

# until_stopped DISTANCE: times of rows so far from each other, and the last good one
until_stopped() {
    awk -v d="$1" -v end="$stopped" 'BEGIN {
        for (i = 0; i * d < end - 1e-9; i++)
            printf "%.3g ", i * d
        printf "%.3g ", end
    }'
}
# shellcheck disable=SC2086
code 1 $long --out -
cmp -s "$work/out" "$csv" || fail "partial rows on stdout differ from those in a file"

# The same in JSON: valid, with status, reason and the last good state.
# shellcheck disable=SC2086
code 1 $long --json
valid_json
same "status" "$(json status)" NOT_CONVERGED
same "last good time" "$(awk -v a="$(json state.t)" -v b="$(column "$csv" t | tail -1)" 'BEGIN { print a - b }')" 0
same "failed steps" "$(json statistics.failures)" 1
same "reason" "$(json messages.0 | cut -c1-7)" 'at t = '

# partial FILE: a complete CSV: whole lines of one length, only numbers, time running forward, ending
# at the last good state of the diagnosis on stderr.
partial() {
    checks=$((checks + 1))
    python3 - "$1" "$work/err" <<'PYTHON' || fail "$last: $1 is no complete CSV"
import re, sys
text = open(sys.argv[1]).read()
assert text.endswith("\n"), "the last line is not whole"
lines = text[:-1].split("\n")
names = lines[0].split(",")
rows = [[float(x) for x in line.split(",")] for line in lines[1:]]
assert rows and all(len(row) == len(names) for row in rows), "a row is not whole"
assert all(abs(x) < 1e300 for row in rows for x in row), "a value is not finite"
times = [row[0] for row in rows]
assert all(a < b for a, b in zip(times, times[1:])), "time does not run forward"
end = float(re.search(r"^  time +(\S+), the last good state", open(sys.argv[2]).read(), re.M).group(1))
assert abs(times[-1] - end) <= 1e-11 * max(1.0, end), (times[-1], end)
PYTHON
}

# The diagnosis on stderr and in JSON, line by line.
# shellcheck disable=SC2086
code 1 $long --out "$csv" --stats --energy-balance
partial "$csv"
says '  failure      NOT_CONVERGED: the corrector iteration did not converge'
says '  step         0.5'
says '  residuals    '
says 'equation of motion of velocity'
says '  corrector    correction / tolerance, largest residual before it'
says '  try          take a smaller step, or let the error choose the steps'
prints "stopped at t = $stopped, before the end"
prints 'balance      change'
prints '  failed steps                 1'
prints '  factorization '
# shellcheck disable=SC2086
code 1 $long --json --stats
same "diagnosis: status" "$(json diagnosis.status)" NOT_CONVERGED
same "diagnosis: time" "$(awk -v t="$(json diagnosis.t)" -v s="$stopped" 'BEGIN { print t - s }')" 0
same "diagnosis: step" "$(json diagnosis.step)" 0.5
below "diagnosis: iterations" 8 "$(json diagnosis.iterations)"
same "diagnosis: worst equation" "$(json diagnosis.equations.0.name |
    grep -cE '^(the equation of motion of velocity|constraint) [1-4] ')" 1
below "diagnosis: a correction" 1 "$(json diagnosis.history.7.correction)"
same "diagnosis: no dependent constraints" "$(json diagnosis.constraints)" '[]'
same "reuses and factorizations" \
    "$(($(json statistics.reuses) + $(json statistics.factorizations)))" \
    "$(json statistics.iterations)"
below "callbacks" "$(json statistics.residual_callbacks)" "$(json statistics.callbacks)"
below "time of the parts" 0 "$(json statistics.time.evaluation)"

# The rows are those of a run that ends there by itself, also thinned out and at equal times, and the
# last good state is always among them.
short="run double_pendulum --method ga3 --step 0.5 --end $stopped"
for rows in '' '--every 4' '--energy-balance'; do
    # shellcheck disable=SC2086
    code 1 $short $rows --out "$work/whole.csv"
    # shellcheck disable=SC2086
    code 1 $long $rows --out "$csv"
    partial "$csv"
    cmp -s "$csv" "$work/whole.csv" || fail "$last: rows differ from those of a shorter run"
done
same "times of --every" "$(code 1 $long --every 4 --out "$csv"; column "$csv" t | tr '\n' ' ')" "$(until_stopped 2)"
# shellcheck disable=SC2086
code 1 $long --sample 0.8 --out "$csv"
partial "$csv"
same "rows of --sample" "$(column "$csv" t | awk '{ printf "%.3g ", $1 }')" \
    "$(until_stopped 0.8)"
# shellcheck disable=SC2086
code 1 $long --sample 0.5 --out "$csv"
partial "$csv"
same "rows of --sample at steps" "$(column "$csv" t | awk '{ printf "%.3g ", $1 }')" \
    "$(until_stopped 0.5)"

# A mechanism that comes to a singular configuration: crank as long as the rod, both upright. The row
# of the second constraint is then zero. Long steps of rk5 pass over it, which is doubtful.
code 0 run slider_crank --set a=1 --set q0=1.2 --set F=-5 --rtol 1e-4
says 'has a peak inside of a step'
code 1 run slider_crank --method ga2s --set a=1 --set q0=1.2 --set F=-5 --rtol 1e-4 --out "$csv"
partial "$csv"
says 'a shorter one would be below the least'
says '1 constraint 2 (slider y)'
says 'hardly depends on the motion here'
near "crank at the end" "$(column "$csv" q | tail -1)" 1.5707963267948966 1e-5
code 1 run slider_crank --method ga2s --set a=1 --set q0=1.2 --set F=-5 --rtol 1e-4 --json
valid_json
same "lost constraint" "$(json diagnosis.constraints.0.index)" 1
same "its coefficient" "$(json diagnosis.constraints.0.coefficient)" 1.0
below "how near" "$(json diagnosis.dependence)" 1e-4
below "least step" 0 "$(json diagnosis.least_step)"
below "steps tried again" 0 "$(($(json statistics.rejected) + $(json statistics.retried)))"

# A model without finite values.
code 1 run jn2 --set k=1e308 --step 1e-3 --out "$csv"
partial "$csv"
same "rows before it" "$(column "$csv" t)" 0
says 'NOT_FINITE'
says 'callback `force` returned inf in entry 3'
says 'see why the callback has no finite value there'

# converge goes on after a failed run, says why in its row, and ends with 1.
code 1 converge double_pendulum --method ga3 --end 10 --steps 1,1e-3
prints ' failed at t = '
same "table lines" "$(wc -l <"$work/out")" 7
says 'a run failed'
code 1 converge double_pendulum --method ga3 --end 10 --steps 1,1e-3 --json
valid_json
same "failed run" "$(json runs.0.errors.q)" null
same "its reason" "$(json runs.0.failure | cut -c1-7)" 'at t = '
below "the other run" "$(json runs.1.errors.q)" 1

finish
