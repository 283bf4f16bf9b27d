# cardan papers: exit codes, JSON, pages and figures of a few quick experiments. The numbers
# themselves are tested in tests/papers.
. "$(dirname "$0")/support.sh"

code 0 papers PEND AMPL
silent
prints "PEND: pendulum in Cartesian coordinates"
prints "2.48e-1"
prints "AMPL: amplification of errors by the recursion"
prints "34.3"
same "no row fails" "$(grep -c FAIL "$work/out")" 0
same "rows and totals agree" "$(grep -c '^  pass  ' "$work/out")" \
    "$(sed -n 's/ of .* rows .* pass.*$//p' "$work/out" | awk '{ sum += $1 } END { print sum }')"
same "widest line fits" "$(awk 'length > 110' "$work/out" | wc -l)" 0

code 0 papers jay1 cube --json --figures "$work/figures"
valid_json
same "verdict" "$(json passed)" True
same "none failed" "$(json counts.published.failed)" 0
same "no claim without its rows" "$(json claims | grep -c "'missing': True")" 0
same "experiments in their own order" "$(json experiments.0.id)" CUBE
same "lower case is fine" "$(json experiments.1.id)" JAY1
same "source" "$(json experiments.1.rows.0.source)" "Jay11 Fig. 7.1"
same "rule" "$(json experiments.1.rows.0.rule)" equal
same "verdict of a row" "$(json experiments.1.rows.0.verdict)" pass
near "order" "$(json experiments.1.rows.0.ours)" 2 0.1
same "figure" "$(json experiments.1.figures.0.file)" "$work/figures/jay1-fig71.svg"

# well_formed FILE: an SVG document with a title.
well_formed() {
    checks=$((checks + 1))
    python3 -c '
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
name = "{http://www.w3.org/2000/svg}"
assert root.tag == name + "svg" and root.find(name + "title").text
assert "nan" not in open(sys.argv[1]).read().replace("nance", "")' "$1" ||
        fail "$1 is not a sound SVG file"
    below "size of $1" "$(stat -c %s "$1")" 60000
}
well_formed "$work/figures/jay1-fig71.svg"
well_formed "$work/figures/cube-example2.svg"

code 0 papers CUBE --markdown --figures "$work/figures"
prints "## CUBE"
prints "($work/figures/cube-example2.svg)"
same "only its rows are counted" "$(grep -c '^| ACB15 Ex. 2.* pass |$' "$work/out")" \
    "$(sed -n 's/^- \*\*\([0-9]*\) of .*/\1/p' "$work/out" | awk '{ sum += $1 } END { print sum }')"
prints "## Claim by claim"
prints "## Misprints"

code 0 papers PROTO --json
same "all prototypes agree" "$(json passed)" True
below "fewer than there are rows" 300 "$(json experiments.0.rows | grep -o "'ours'" | wc -l)"

code 2 papers PENDD
says "did you mean \`PEND\`?"
code 2 papers nonsense
says "choose \`PEND\`"
code 2 papers CUBE --json --markdown
says "exclude each other"
code 2 papers CUBE --figures "$work/no/such/folder"
says "cannot make the folder"
touch "$work/file"
code 2 papers CUBE --figures "$work/file"
says "cannot make the folder"
mkdir "$work/taken"
mkdir "$work/taken/cube-example2.svg"
code 1 papers CUBE --figures "$work/taken"
says "cannot write"
code 0 papers --help
prints "usage: cardan papers"
finish
