# cardan report and run --report: a page with valid JSON inside, a size that can be mailed, a
# summary that tells what is wrong, and messages for bad input. The page itself is tested in a
# browser (tests/viewer).
. "$(dirname "$0")/support.sh"

models=$(dirname "$0")/../../models

# Takes the JSON and the numbers out of a page and checks them against a CSV.
check_page() { # PAGE CSV COLUMN
    python3 - "$@" <<'END'
import base64, csv, json, re, struct, sys, zlib
text = open(sys.argv[1], encoding="utf-8").read()
report = json.loads(re.search(r'<script type="application/json" id="report">(.*?)</script>', text, re.S)[1])
block = zlib.decompress(base64.b64decode(re.search(r'id="numbers-0">(.*?)</script>', text, re.S)[1]))
run = report["runs"][0]
assert len(block) == run["bytes"], (len(block), run["bytes"])
rows = list(csv.DictReader(open(sys.argv[2])))
column = next(c for c in run["columns"] if c["name"] == sys.argv[3])
n, at = column["data"]["n"], column["data"]["at"]
assert n == len(rows) and "unit" not in column["data"], column
last, values = 0, []
for i in range(n):
    last ^= sum(block[at + p * n + i] << 8 * p for p in range(8))
    values.append(struct.unpack("<d", struct.pack("<Q", last))[0])
assert values == [float(r[sys.argv[3]]) for r in rows], "numbers differ from the file"
assert not re.search(r'(src|href)="(?!#)', text.replace('href="#', '')), "the page refers to something outside"
assert "Content-Security-Policy" in text
END
}

# run --report and report of the same run hold the numbers of the CSV
"$cardan" run "$models/four_bar.yaml" --out "$work/f.csv" --report "$work/f.html" >"$work/out" ||
    fail "run --report"
grep -q "^report .*f.html" "$work/out" || fail "the page is not named"
check_page "$work/f.html" "$work/f.csv" A.fx || fail "page of the run"
"$cardan" report "$work/f.csv" --model "$models/four_bar.yaml" -o "$work/g.html" >"$work/out" ||
    fail "report of a CSV"
check_page "$work/g.html" "$work/f.csv" D.fy || fail "page of the CSV"
grep -q '"poses"' "$work/g.html" || fail "--model gives no places"

# the page is named after the run without -o
(cd "$work" && "$cardan" report f.csv >out && test -s f.html) || fail "no f.html"

# a page on standard output
"$cardan" report "$work/f.csv" -o - | grep -q "</html>" || fail "-o -"

# the summary tells a plain start, a pumping projection and a sound run apart
"$cardan" run heavy_top --method ga3 --start plain --step 1e-3 --out "$work/p.csv" --quiet
"$cardan" report "$work/p.csv" --text >"$work/out" || fail "--text"
grep -q "warning  Spurious oscillation: lambda" "$work/out" || fail "plain start not seen"
for method in ga3 ga2s; do
    "$cardan" run heavy_top --method $method --step 1e-3 --out "$work/p.csv" --quiet
    "$cardan" report "$work/p.csv" --text >"$work/out"
    grep -q "good     No spurious oscillation" "$work/out" || fail "$method: $(cat "$work/out")"
    grep -q "warning" "$work/out" && fail "$method: $(cat "$work/out")"
done
"$cardan" run heavy_top --method ga3 --step 1e-3 --project velocity --projection identity \
    --report "$work/p.html" --quiet
grep -qi "projections pumped energy in" "$work/p.html" || fail "pumping projection not seen"
"$cardan" run heavy_top --method ga3 --step 1e-3 --project velocity --report "$work/p.html" --quiet
grep -qi "projections pumped energy in" "$work/p.html" && fail "the mass norm does not pump"

# steps are looked at even where rows are further apart
"$cardan" run heavy_top --method ga3 --start plain --step 1e-3 --every 2 --report "$work/p.html" --quiet
grep -qi "spurious oscillation" "$work/p.html" || fail "not seen with --every 2"

# events are no oscillation
"$cardan" run stick_slip --report "$work/p.html" --quiet
grep -qi "spurious oscillation" "$work/p.html" && fail "stick_slip"

# two runs are compared
"$cardan" run heavy_top --step 2e-3 --out "$work/a.csv" --quiet
"$cardan" run heavy_top --step 1e-3 --out "$work/b.csv" --quiet
"$cardan" report "$work/a.csv" "$work/b.csv" --text >"$work/out" || fail "compare"
grep -q "Joint forces of the two runs differ by up to" "$work/out" || fail "$(cat "$work/out")"
"$cardan" report "$work/a.csv" "$work/f.csv" --text | grep -q "no output in common" ||
    fail "different models"

# large runs are rounded, then thinned, to the size asked for
"$cardan" report "$work/f.csv" --size 0.9 -o "$work/s.html" >/dev/null || fail "--size"
test "$(stat -c %s "$work/s.html")" -lt 900000 || fail "size $(stat -c %s "$work/s.html")"
grep -q "rounded to 1/65000" "$work/s.html" || fail "rounding is not told"

# names cannot end the script element
"$cardan" report "$work/f.csv" --title '</script><script>x"&' -o "$work/e.html" >/dev/null
test "$(grep -o '<script' "$work/e.html" | wc -l)" = "$(grep -o '<script' "$work/s.html" | wc -l)" ||
    fail "a title got into the page"

# every built-in problem makes a page; where there is a scene, every body has a place in every row
for problem in $("$cardan" problems | awk '/^[a-z0-9_]+ +[a-zA-Z]/ { print $1 }'); do
    "$cardan" run "$problem" --end 0.02 --step 0.005 --report "$work/q.html" --quiet 2>"$work/err" ||
        "$cardan" run "$problem" --end 0.002 --report "$work/q.html" --quiet 2>"$work/err" ||
        fail "$problem: $(cat "$work/err")"
    python3 - "$work/q.html" "$problem" <<'END' || fail "$problem: scene"
import base64, json, math, re, struct, sys, zlib
text = open(sys.argv[1], encoding="utf-8").read()
run = json.loads(re.search(r'id="report">(.*?)</script>', text, re.S)[1])["runs"][0]
block = zlib.decompress(base64.b64decode(re.search(r'id="numbers-0">(.*?)</script>', text, re.S)[1]))
def values(array):
    n, last, out = array["n"], 0, []
    for i in range(n):
        last ^= sum(block[array["at"] + p * n + i] << 8 * p for p in range(8))
        out.append(struct.unpack("<d", struct.pack("<Q", last))[0])
    return out
if "scene" not in run:
    assert sys.argv[2] in ("cube", "jay1", "jn1", "index2_example", "load_branches"), "no scene"
    sys.exit()
assert len(run["poses"]) == len(run["scene"]["bodies"]) > 0
for pose in run["poses"]:
    turn = [values(run["columns"][p]["data"] if isinstance(p, int) else p) for p in pose if p != -1]
    assert len(turn) in (3, 7) and all(math.isfinite(x) for column in turn for x in column), pose
    for row in zip(*turn[3:]):
        assert abs(sum(x * x for x in row) - 1) < 1e-6, "no unit quaternion"
END
done

# bad input
refused() { # TEXT ARGUMENTS...
    local text=$1
    shift
    code 2 report "$@"
    says "$text"
}
refused "which result"
refused "missing.csv" "$work/missing.csv"
refused "two runs" "$work/f.csv" "$work/f.csv" "$work/f.csv"
refused "name is empty" "$work/f.csv" -o ""
refused "nosuch" "$work/f.csv" --model nosuch
echo "t,x" >"$work/empty.csv"
refused "no rows" "$work/empty.csv"
code 1 report "$work/f.csv" -o "$work/no/such/dir.html"
says "cannot write"

finish
