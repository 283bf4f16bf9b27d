# `cardan run --sample`: rows at equal times by interpolation, the steps as they are without it.
. "$(dirname "$0")/support.sh"
csv=$work/sampled.csv
steps=$work/steps.csv

# Times and row counts: the begin, every DT, always the exact end and that only once.
rows() { # STEP END DT EXPECTED_ROWS
    code 0 run pendulum --step "$1" --end "$2" --sample "$3" --out "$csv"
    local what="step $1, end $2, sample $3"
    same "$what: rows" "$(tail -n +2 "$csv" | wc -l)" "$4"
    prints "$4 rows of"
    same "$what: times" "$(column "$csv" t)" "$(python3 -c "
for i in range($4 - 1): print('%.17g' % (i * $3))
print('%.17g' % $2)")"
}
rows 1e-2 1 0.1 11
rows 1e-2 1 0.003 335
rows 1e-2 1 0.3 5
rows 1e-2 1 7 2
rows 0.1 0.7 0.1 8
rows 0.1 0.7 0.35 3
rows 0.25 0.5 1e-3 501
rows 1e-3 0.0105 1e-2 3
rows 0.01 0.0301 0.01 5
rows 0.01 0 0.01 1
rows 1e-3 0.1 0.033333333333 4

# Rows at the ends of steps are the states there, to the last bit, eta and residuals included.
for problem in pendulum heavy_top rolling_disk; do
    code 0 run $problem --step 1e-3 --end 0.05 --sample 5e-3 --out "$csv"
    code 0 run $problem --step 1e-3 --end 0.05 --every 5 --out "$steps"
    values() { cut -d, -f2- "$1"; }
    same "$problem: rows at steps" "$(values "$csv" | cksum)" "$(values "$steps" | cksum)"
done

# Sampling does not touch the steps: the same state, maxima and counters at the end.
for method in ga3 ga2s hht3 nonholonomic midpoint; do
    code 0 run heavy_top --method $method --step 1e-3 --end 0.0505 --json --out "$steps"
    cp "$work/out" "$work/without"
    code 0 run heavy_top --method $method --step 1e-3 --end 0.0505 --sample 3e-4 --json --out "$csv"
    other='"(seconds|file|rows)"' # all else in the summary is of the steps
    same "$method: summary with --sample" "$(grep -vE "$other" "$work/out" | cksum)" \
        "$(grep -vE "$other" "$work/without" | cksum)"
    same "$method: last row" "$(tail -1 "$csv")" "$(tail -1 "$steps")"
    same "$method: header" "$(head -1 "$csv")" "$(head -1 "$steps")"
done

# Inside steps: a pendulum of length 1 and mass 1 with energy -9.31. The largest offset of x^2 + y^2
# from 1, of the energy from its first value, of the energy from its parts.
worst() { # STEP
    code 0 run pendulum --step "$1" --end 1 --sample 1.3e-3 --out "$csv"
    awk -F, 'function size(x) { return x < 0 ? -x : x }
        NR > 1 { r = size($2 * $2 + $3 * $3 - 1); e = size($12 + 9.31)
                 p = size($10 + $11 - $12) + size($10 - ($4 * $4 + $5 * $5) / 2)
                 if (r > a) a = r; if (e > b) b = e; if (p > c) c = p }
        END { print a + 0, b + 0, c + 0 }' "$csv"
}
read -r radius energy parts <<<"$(worst 1e-2)"
read -r radius_fine energy_fine parts_fine <<<"$(worst 5e-3)"
below "length" "$radius" 1e-8
below "length, half the step (order 4)" "$radius_fine" "$(awk -v r="$radius" 'BEGIN { print r / 14 }')"
below "energy" "$energy" 1e-3
below "energy, half the step" "$energy_fine" "$(awk -v e="$energy" 'BEGIN { print e / 3.5 }')"
below "parts of the energy" "$parts" 1e-13
below "parts of the energy, half the step" "$parts_fine" 1e-13
same "phi_max is that of the row" "$(awk -F, 'NR > 1 { r = ($2 * $2 + $3 * $3 - 1) / 2
    if (r < 0) r = -r; d = r - $8; if (d * d > 1e-30) n++ } END { print n + 0 }' "$csv")" 0

# eta is that of the step that contains the row.
code 0 run pendulum --step 0.01 --end 0.1 --sample 0.0025 --out "$csv"
code 0 run pendulum --step 0.01 --end 0.1 --out "$steps"
same "eta inside steps" "$(column "$csv" eta1 | awk 'NR > 1' | uniq)" \
    "$(column "$steps" eta1 | awk 'NR > 1' | uniq)"

# What is refused, before any file is touched.
rm -f "$csv"
code 2 run pendulum --sample 0.1 --every 2 --out "$csv"
says '--every and --sample both say when rows are written'
code 2 run pendulum --sample 0.1 --energy-balance --out "$csv"
says '--energy-balance accounts for whole steps'
code 2 run pendulum --sample 1e-300 --out "$csv"
says 'more than 1e10'
for interval in 0 -1 x nan inf ''; do
    code 2 run pendulum --sample "$interval" --out "$csv"
    says '--sample'
done
[ ! -e "$csv" ] || fail "a refused run wrote $csv"
code 0 run --help
prints '--sample DT'

# A run that fails leaves the rows of the good steps, whole.
code 1 run double_pendulum --method ga3 --step 0.5 --end 100 --sample 0.07 --out "$csv"
says 'cardan: run: at t = '
stopped=$(sed -n 's/^cardan: run: at t = \([0-9.]*\):.*/\1/p' "$work/err")
same "fields a row" "$(awk -F, '{ print NF }' "$csv" | sort -u | wc -l)" 1
same "rows up to the failure, and that of the last good state" "$(tail -n +2 "$csv" | wc -l)" \
    "$(python3 -c "print(int($stopped / 0.07 + 1e-6) + 2)")"

finish
