# All of cardan papers: no row fails, no claim is without its rows, and no tolerance of a printed
# number is wider than half a unit of its last digit unless the row says why.
. "$(dirname "$0")/support.sh"

code 0 papers --json
valid_json
same "verdict" "$(json passed)" True
same "claims without their rows" "$(json claims | grep -c "'missing': True")" 0

checks=$((checks + 1))
python3 - "$work/out" <<'END' || fail "see above"
import collections
import json
import re
import sys

report = json.load(open(sys.argv[1]))
wrong = []
for experiment in report["experiments"]:
    names = collections.Counter((row["origin"], row["source"], row["what"]) for row in experiment["rows"])
    wrong += [f"{experiment['id']}: twice: {name}" for name, count in names.items() if count > 1]
    for row in experiment["rows"]:
        place = f"{experiment['id']}: {row['what']}"
        printed = re.fullmatch(r"-?\d+(?:\.(\d*))?(?:e([-+]?\d+))?", row["published"])
        half = 0.5 * 10.0 ** (int(printed[2] or 0) - len(printed[1] or "")) if printed else 0.0
        if row["origin"] == "published" and row["rule"] == "equal" and printed and half < row["tolerance"] * 0.999:
            if row["note"] is None:
                wrong.append(f"wider than half a unit, and no word why: {place}")
        if row["verdict"] == "false in print" and row["note"] is None:
            wrong.append(f"false in print, and no word how that is known: {place}")
for paper in ("ACB15", "ACB-R", "Jay11", "JN07", "GO10"):
    if sum(claim["paper"] == paper for claim in report["claims"]) < 15:
        wrong.append(f"few claims of {paper}")
print(*wrong, sep="\n")
sys.exit(bool(wrong))
END
finish
