# Runs with events: --sample across them, --events continued by a restart, ends by an event,
# --project-at, workprec.
. "$(dirname "$0")/support.sh"
csv=$work/run.csv
list=$work/events.csv
clean=$work/clean.csv
clean_list=$work/clean_events.csv
ckp=$work/run.ckp

# identical WHAT ONE TWO
identical() {
    checks=$((checks + 1))
    cmp -s "$2" "$3" || fail "$1: $(cmp "$2" "$3" 2>&1 | head -1)"
}

# --sample: equal times and nothing else, the same steps as without it. Between impacts the energy
# is constant and lambda = v.v - g y; at an impact it falls by what the list says.
for how in "--step 2e-3" "--rtol 1e-5" "--step 2e-3 --method hht3" "--step 2e-3 --method midpoint"; do
    code 0 run bouncing_pendulum $how --out "$clean" --json
    steps=$(json statistics.steps)
    code 0 run bouncing_pendulum $how --sample 0.01 --out "$csv" --events "$list" --json
    same "$how: steps" "$(json statistics.steps)" "$steps"
    same "$how: last row" "$(tail -1 "$csv")" "$(tail -1 "$clean")"
    checks=$((checks + 1))
    python3 - "$csv" "$list" <<'PY' || fail "$how: sampled rows"
import csv, sys
rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(sys.argv[1]))]
hits = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(sys.argv[2]))]
assert len(rows) == 501 and len(hits) == 4
for i, r in enumerate(rows):
    assert abs(r['t'] - i * 0.01) < 1e-12, r['t']
    energy = rows[0]['energy'] + sum(h['energy'] for h in hits if h['t'] <= r['t'])
    assert abs(r['energy'] - energy) < 2e-3, (r['t'], r['energy'], energy)
    assert abs(r['lambda'] - r['vx'] ** 2 - r['vy'] ** 2 + 9.81 * r['y']) < 2e-3, r
    assert r['x'] > -0.3 - 1e-9, r
PY
done
code 0 run stick_slip --step 5e-3 --sample 0.01 --out "$csv" --events "$list"
checks=$((checks + 1))
python3 - "$csv" "$list" <<'PY' || fail "stick_slip: sampled psi"
import csv, sys
rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(sys.argv[1]))]
hits = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(sys.argv[2]))]
for r in rows:
    past = [h for h in hits if h['t'] <= r['t']]
    sticks = not past or past[-1]['mode_after'] == 0
    assert abs(r['psi'] - (-25 * r['x'] if sticks else 0)) < 1e-8, r
PY
# More multipliers after the last impact than at the begin.
code 0 run bouncing_pendulum --set wall=0.3 --set e=0.5 --sample 0.01 --out "$csv"
near "lambda at rest" "$(column "$csv" lambda | tail -1)" 10.283674 1e-5

# A restart goes on with the list of events too.
middle() { # STEPS OPTIONS...
    local steps=$1
    shift
    code 0 run bouncing_pendulum "$@" --out "$clean" --events "$clean_list"
    code 0 run bouncing_pendulum "$@" --out "$csv" --events "$list" --checkpoint "$ckp" \
        --checkpoint-steps "$steps"
    echo garbage >>"$csv"
    echo garbage >>"$list"
    code 0 run --restart "$ckp"
    silent
    identical "$*: rows" "$csv" "$clean"
    identical "$*: events" "$list" "$clean_list"
}
middle 400 --step 5e-3
middle 73 --step 5e-3 --sample 0.013
middle 300 --rtol 1e-4 --end 3
middle 50 --step 5e-3 --stop-at-event 2
middle 50 --step 5e-3 --set stop=3.5 --sample 0.1
middle 100 --step 5e-3 --project velocity --project-at 0.5,1.2345
cp "$list" "$work/elsewhere.csv"
cp "$list" "$work/kept.csv"
code 0 run --restart "$ckp" --events "$work/elsewhere.csv"
identical "list elsewhere" "$work/elsewhere.csv" "$clean_list"
sed '2s/1/2/' "$work/kept.csv" >"$list"
cp "$csv" "$work/rows.csv"
echo more >>"$csv"
code 2 run --restart "$ckp"
says "does not contain the rows of the run"
same "rows after the refusal" "$(tail -1 "$csv")" more
cp "$work/rows.csv" "$csv"
code 0 run bouncing_pendulum --end 1 --out "$csv" --checkpoint "$ckp"
code 2 run --restart "$ckp" --events "$list"
says "had no --events"
code 2 run bouncing_pendulum --out "$csv" --events "$csv"
says "the same file"

# Ends by an event: of the problem, and of --stop-at-event. Not a failure; the state after it is
# the last row.
code 0 run bouncing_pendulum --set stop=3.5 --out "$csv" --json
silent
same "status" "$(json status)" OK
same "ended by" "$(json ended_by.name)" "event \`wall\`"
near "end of the run" "$(json ended_by.t)" 1.64427 1e-3
same "last row" "$(column "$csv" t | tail -1)" "$(json ended_by.t | xargs printf %.17g)"
code 0 run bouncing_pendulum --set stop=3.5 --out "$csv"
prints "ended at t = 1.644"
prints "by event \`wall\`"
code 0 run bouncing_pendulum --end 100 --stop-at-event 3 --sample 0.5 --out "$csv"
prints "ended at t = 2.919"
same "rows" "$(column "$csv" t | wc -l)" 7
below "speed after it" 0 "$(column "$csv" vx | tail -1)"
code 0 run bouncing_pendulum --end 1 --stop-at-event 3 --json
checks=$((checks + 1))
grep -q ended_by "$work/out" && fail "a run that reached its end was ended by an event"
code 2 run bouncing_pendulum --stop-at-event 0
code 2 run pendulum --stop-at-event 1
says "this problem has none"
code 1 converge bouncing_pendulum --set stop=3.5 --steps 1e-2,5e-3

# --project-at: steps end there, wherever events have shifted them.
code 0 run bouncing_pendulum --method ga3 --step 5e-3 --project velocity --project-at 1.2345 --out "$csv"
below "hidden constraint after the projection" \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "hidden_max") c = i }
        $1 == 1.2344999999999999 { print $c }' "$csv")" 1e-12
code 2 run bouncing_pendulum --step 5e-3 --project velocity --project-at 6
says "up to the end"

# workprec: our methods only.
code 0 workprec bouncing_pendulum --steps 1e-2,5e-3 --rtols 1e-4 --repeat 1 --json --quiet
same "solvers" "$(json runs.0.method) $(json runs.2.method)" "ga2s ga2s"
code 2 workprec stick_slip --norm max
says "next to an event"
finish
