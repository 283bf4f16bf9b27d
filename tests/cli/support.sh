# Shared by the shell tests. Sets $cardan (the program, from $1) and $work (a temporary folder that
# is removed at the end); every check prints what failed, and `finish` gives the exit code.
set -u
cardan=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# code CODE ARGUMENTS...: runs cardan, output in $work/out and $work/err.
code() {
    local expected=$1
    shift
    checks=$((checks + 1))
    last="cardan $*"
    "$cardan" "$@" >"$work/out" 2>"$work/err" </dev/null
    local got=$?
    [ "$got" -eq "$expected" ] || {
        fail "$last: exit code $got instead of $expected"
        head -3 "$work/err"
    }
}

# doomed ARGUMENTS... &: cardan as the process $!, to be killed. Without a search for leaks at its end:
# the sanitizer, when its process is killed within that search, writes a line of its own to stderr.
doomed() {
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 exec "$cardan" "$@"
}

# says TEXT: the last run's stderr contains TEXT.
says() {
    checks=$((checks + 1))
    grep -qF -e "$1" "$work/err" || {
        fail "$last: stderr lacks: $1"
        head -3 "$work/err"
    }
}

# prints TEXT: the last run's stdout contains TEXT.
prints() {
    checks=$((checks + 1))
    grep -qF -e "$1" "$work/out" || {
        fail "$last: stdout lacks: $1"
        head -5 "$work/out"
    }
}

# silent: nothing on the last run's stderr.
silent() {
    checks=$((checks + 1))
    [ ! -s "$work/err" ] || {
        fail "$last: unexpected on stderr:"
        head -3 "$work/err"
    }
}

# same WHAT GOT EXPECTED
same() {
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1: \`$2\` instead of \`$3\`"
}

# near WHAT GOT EXPECTED TOLERANCE: |GOT - EXPECTED| <= TOLERANCE.
near() {
    checks=$((checks + 1))
    awk -v a="$2" -v b="$3" -v e="$4" \
        'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && a != "null" && d <= e) }' ||
        fail "$1: $2 is not within $4 of $3"
}

# below WHAT GOT LIMIT
below() {
    checks=$((checks + 1))
    awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && a != "null" && a + 0 < b + 0) }' ||
        fail "$1: $2 is not below $3"
}

# json PATH: a value of the JSON in $work/out; PATH like state.x1 or runs.0.errors.q.
json() {
    python3 -c '
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."):
    value = value[int(key)] if isinstance(value, list) else value[key]
print("null" if value is None else value)' "$work/out" "$1"
}

# valid_json: the last run printed one JSON document.
valid_json() {
    checks=$((checks + 1))
    python3 -m json.tool "$work/out" >/dev/null 2>&1 || fail "$last: stdout is no valid JSON"
}

# column FILE NAME: the values of a CSV column, one a line.
column() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        c { print $c }' "$1"
}

finish() {
    echo "$checks checks, $failures failed"
    [ "$failures" -eq 0 ] && [ "$checks" -gt 0 ]
    exit
}
