# cardan plot: which columns, what gnuplot is told, pictures of every kind, hostile names.
. "$(dirname "$0")/support.sh"
models=$(dirname "$0")/../../models
csv=$work/run.csv
code 0 run "$models/four_bar.yaml" --end 0.2 --out "$csv"

# What gnuplot is told: another program in its place keeps it.
mkdir "$work/bin"
cat >"$work/bin/gnuplot" <<'S'
#!/bin/sh
cat >"$SCRIPT"
echo picture
S
chmod +x "$work/bin/gnuplot"
script() { # ARGUMENTS...: the script of `cardan plot ARGUMENTS` in $work/script
    last="cardan plot $*"
    SCRIPT=$work/script PATH=$work/bin:$PATH "$cardan" plot "$@" -o "$work/fig.svg" >"$work/out" 2>"$work/err" ||
        fail "$last: $(head -1 "$work/err")"
}
data() { # NUMBER: the values of a curve
    sed -n "/^\$data$1 <</,/^END_OF_DATA/p" "$work/script" | grep -v -e data -e END | awk '{ print $2 }'
}
titles() {
    grep '^plot ' "$work/script" | grep -o 'title "[^"]*"' | sed "s/title //" | tr '\n' ' '
}
script "$csv" 'C.f*,crank.x'
same "curves" "$(titles)" '"C.fx" "C.fy" "C.fz" "crank.x" '
same "panels" "$(grep -c '^plot ' "$work/script")" 2
same "labels" "$(grep ylabel "$work/script" | tr '\n' ' ')" 'set ylabel "N" set ylabel "crank.x (m)" '
same "values that differ from the CSV" "$(paste <(data 1) <(column "$csv" C.fy) |
    awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-9 * ($2 < 0 ? -$2 : $2) + 1e-300) n++ }
        END { print n + 0, NR }')" "0 $(column "$csv" t | wc -l)"
script "$csv" A.fx B.fx,A.fx
same "names in several arguments, each once" "$(titles)" '"A.fx" "B.fx" '
script "$csv" crank.x --from 0.05 --to 0.1
same "first and last time" "$(sed -n '/<< END/,/^END/p' "$work/script" | grep '^ ' |
    awk 'NR == 1 { a = $1 } { b = $1 } END { printf "%g %g", a, b }')" "0.05 0.1"
script "$csv" C.fx --log
same "values that are not positive" "$(data 0 | awk '$1 != "?" && $1 <= 0' | wc -l)" 0
same "logarithmic" "$(grep -c 'set logscale y' "$work/script")" 1
code 0 run heavy_top --step 1e-4 --end 1 --out "$work/long.csv"
script "$work/long.csv" lambda3 --title "a 'quoted' title"
same "title" "$(grep '^set title' "$work/script")" 'set title "a \047quoted\047 title"'
below "points of a long run" "$(data 0 | wc -l)" 10001
for edge in "sort -g | head -1" "sort -g | tail -1"; do
    near "extreme value" "$(data 0 | eval "$edge")" "$(column "$work/long.csv" lambda3 | eval "$edge")" 1e-6
done
script "$work/long.csv" x1,lambda3
same "panels where units are not known" "$(grep -c '^plot ' "$work/script")" 2

# Mistakes.
code 2 plot "$csv" C.gx -o "$work/x.svg"
says 'no column `C.gx`; did you mean `C.fx`?'
code 2 plot "$csv" 'nothing*' -o "$work/x.svg"
says "lists them"
code 2 plot "$csv" C.fx,,C.fy -o "$work/x.svg"
says 'no column ``'
code 2 plot "$csv" C.fx -o "$work/x.gif"
says "does not end with .svg, .png or .pdf"
code 2 plot "$csv" C.fx
says "say where"
code 2 plot "$csv" -o "$work/x.svg"
says "name columns"
code 2 plot
says "name a result"
code 2 plot "$csv" C.fx -o "$work/x.svg" --size 10x10
says "is not a size"
code 2 plot "$csv" C.fx -o "$work/x.svg" --from 5
says "no rows of this time"
code 2 plot "$csv" C.fx -o "$work/x.svg" --from 2 --to 1
says "nothing is between"
code 2 plot "$csv" '*' -o "$work/x.svg"
says "choose fewer"
code 2 plot "$work/missing.csv" x -o "$work/x.svg"
says "No such file"
PATH=$work/empty code 1 plot "$csv" C.fx -o "$work/x.svg"
says "gnuplot is not installed"
[ ! -e "$work/x.svg" ] || fail "a picture without gnuplot"

command -v gnuplot >/dev/null || {
    echo "SKIPPED IN PART: no gnuplot (Debian: gnuplot-nox)"
    finish
}

# Pictures of every kind and size.
code 0 plot "$csv" 'C.f*,D.f*' -o "$work/fig.svg" --size 640x360
python3 - "$work/fig.svg" <<'P' || fail "the SVG"
import sys, xml.etree.ElementTree as xml
root = xml.parse(sys.argv[1]).getroot()
assert (root.get("width"), root.get("height")) == ("640", "360"), root.attrib
texts = ["".join(t.itertext()).strip() for t in root.iter("{http://www.w3.org/2000/svg}text")]
for name in ("C.fx", "D.fy", "t (s)", "N"):
    assert name in texts, (name, texts)
P
code 0 plot "$csv" C.fx -o "$work/fig.png" --size 300x200
same "PNG" "$(od -An -tu1 -j16 -N8 "$work/fig.png" | tr -s ' ')" " 0 0 1 44 0 0 0 200"
code 0 plot "$csv" C.fx -o "$work/fig.pdf"
same "PDF" "$(head -c 5 "$work/fig.pdf")" "%PDF-"
code 1 plot "$csv" C.fx -o "$work/none/fig.svg"
says "cannot write"

# Names that try to be commands of gnuplot or of a shell are texts.
python3 - "$work/evil.csv" "$work" <<'P'
import sys
touch = "touch " + sys.argv[2] + "/pwned"
names = ["t", "'; !" + touch + "; '", "`" + touch + "`", "$(" + touch + ")", "a\\nb", "@x^{y}_z",
         "END_OF_DATA", "<script>alert(1)</script>&amp;", "\U0001f600 \u00e4", "n" * 3000,
         '"; system("' + touch + '")', "\x1b[31m", "%s%n%d"]
quote = lambda n: '"' + n.replace('"', '""') + '"'
with open(sys.argv[1], "w") as f:
    f.write(",".join(map(quote, names)) + "\n")
    for k in range(5):
        f.write(",".join(str(k * (i + 1)) for i in range(len(names))) + "\n")
P
cd "$work" || exit 1
code 0 plot evil.csv '?*' -o "|touch pwned;.svg" --title "'; !touch pwned; \`touch pwned\` <b>&"
[ ! -e "$work/pwned" ] || fail "a name was run as a command"
python3 - "|touch pwned;.svg" <<'P' || fail "the SVG of hostile names"
import sys, xml.etree.ElementTree as xml
root = xml.parse(sys.argv[1]).getroot()
texts = " ".join("".join(t.itertext()) for t in root.iter("{http://www.w3.org/2000/svg}text"))
assert "<script>alert(1)</script>&amp;" in texts
assert "@x^{y}_z" in texts
assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
P
finish
