# The contract of the CSV that `cardan run` writes: header, rows, digits, end time, columns.
. "$(dirname "$0")/support.sh"
csv=$work/result.csv

# Headers, for problems with several and with one constraint, with and without eta.
tail=phi_max,hidden_max,kinetic,potential,energy
top=t,x1,x2,x3,e0,e1,e2,e3,u1,u2,u3,Omega1,Omega2,Omega3,lambda1,lambda2,lambda3
code 0 run heavy_top --end 0.01 --out "$csv"
silent
same "heavy_top header by default" "$(head -1 "$csv")" "$top,$tail"
code 0 run heavy_top --end 0.01 --method ga2s --out "$csv"
same "heavy_top header" "$(head -1 "$csv")" "$top,eta1,eta2,eta3,$tail"
code 0 run heavy_top --end 0.01 --method ga3 --out "$csv"
same "heavy_top ga3 header" "$(head -1 "$csv")" "$top,$tail"
code 0 run pendulum --step 0.01 --end 0.1 --out "$csv"
same "pendulum header" "$(head -1 "$csv")" "t,x,y,vx,vy,lambda,eta1,$tail"
code 0 run pendulum --end 0.1 --method ga3 --out "$csv"
same "pendulum ga3 header" "$(head -1 "$csv")" "t,x,y,vx,vy,lambda,$tail"

# Every row has as many fields as the header, and every value all digits.
code 0 run heavy_top --step 1e-3 --end 0.05 --out "$csv"
same "fields a row" "$(awk -F, '{ print NF }' "$csv" | sort -u)" 25
same "values that do not read back" "$(tail -n +2 "$csv" | python3 -c '
import sys
fields = [f for line in sys.stdin for f in line.strip().split(",")]
print(sum("%.17g" % float(f) != f for f in fields), len(fields))')" "0 $((25 * 51))"
same "shortened values" "$(column "$csv" x1 | awk 'NR > 1 && length($0) < 15' | wc -l)" 0

# Row count and times: the begin, every K-th step, always the exact end.
rows() { # STEP END EVERY EXPECTED_ROWS EXPECTED_STEPS
    code 0 run pendulum --step "$1" --end "$2" --every "$3" --out "$csv" --json
    local what="step $1, end $2, every $3"
    same "$what: rows" "$(tail -n +2 "$csv" | wc -l)" "$4"
    same "$what: steps" "$(json statistics.steps)" "$5"
    same "$what: first t" "$(column "$csv" t | head -1)" 0
    same "$what: last t" "$(column "$csv" t | tail -1)" "$(python3 -c "print('%.17g' % $2)")"
    same "$what: times that do not increase" \
        "$(column "$csv" t | awk 'NR > 1 && $1 <= last { n++ } { last = $1 } END { print n + 0 }')" 0
}
rows 1e-2 1 1 101 100
rows 1e-2 1 10 11 100
rows 1e-2 1 7 16 100
rows 1e-2 1 1000 2 100
rows 0.1 0.7 1 8 7
rows 0.1 0.3 1 4 3
rows 1e-3 1.1 100 12 1100
rows 0.01 0.025 1 4 3
rows 0.01 0.0301 1 5 4
rows 0.05 0.01 1 2 1
rows 0.01 0 1 1 0
rows 0.033333333333 0.1 1 4 3
rows 1e-4 0.7 7000 2 7000

# Intermediate times are those of the steps.
code 0 run pendulum --step 0.01 --end 0.05 --every 2 --out "$csv"
near "third t" "$(column "$csv" t | sed -n 3p)" 0.04 1e-15

# The same numbers go to stdout with --out -, and only then: else the summary stands there, in a pipe as
# on a terminal.
code 0 run pendulum --step 0.01 --end 0.05 --out "$csv"
code 0 run pendulum --step 0.01 --end 0.05
silent
prints 'verdict      good'
prints 'by ga2s'
same "CSV beside the summary" "$(grep -c , "$work/out" | awk '{ print ($1 < 6) }')" 1
same "rows of the table" "$(grep -cE '^ +0\.0[0-9]*( +[0-9.e+-]+){6}$' "$work/out")" 5
code 0 run pendulum --step 0.01 --end 0.05 --out -
cmp -s "$csv" "$work/out" || fail "--out - differs from --out FILE"

# The columns mean what they say: pendulum of unit length and mass with energy m/2 - m g l.
code 0 run pendulum --step 1e-3 --end 1 --out "$csv"
same "kinetic energy off v^2/2" "$(awk -F, 'NR > 1 { k = ($4 * $4 + $5 * $5) / 2; d = k - $10;
    if (d * d > 1e-28) n++ } END { print n + 0 }' "$csv")" 0
same "energy off its parts" "$(awk -F, 'NR > 1 { d = $10 + $11 - $12; if (d * d > 1e-28) n++ }
    END { print n + 0 }' "$csv")" 0
near "first energy" "$(column "$csv" energy | head -1)" -9.31 1e-4

# ga2s holds both constraints with the default tolerances.
for problem in pendulum heavy_top heavy_top_quat heavy_top_se3; do
    code 0 run $problem --step 1e-3 --end 1 --out "$csv"
    below "largest phi of $problem" "$(column "$csv" phi_max | sort -g | tail -1)" 1e-14
    below "largest hidden of $problem" "$(column "$csv" hidden_max | sort -g | tail -1)" 1e-12
done

# A tiny rest is shared with the step before it: alone it would blow up the multiplier.
code 0 run pendulum --method ga3 --step 1e-2 --end 0.5 --out "$csv"
lambda=$(column "$csv" lambda | tail -1)
code 0 run pendulum --method ga3 --step 1e-2 --end 0.5000000001 --out "$csv"
near "lambda after a tiny rest" "$(column "$csv" lambda | tail -1)" "$lambda" 1e-3
same "rows with a tiny rest" "$(tail -n +2 "$csv" | wc -l)" 52

# The heavy top against its published end position, and both parameter styles alike.
code 0 run heavy_top --step 1e-4 --rho 0.9 --every 10000 --out "$csv"
near "x1(1)" "$(column "$csv" x1 | tail -1)" 0.17334396409839 1e-4
near "x2(1)" "$(column "$csv" x2 | tail -1)" 0.64008859207057 1e-4
near "x3(1)" "$(column "$csv" x3 | tail -1)" -0.74849079113358 1e-4
code 0 run heavy_top --end 0.01 --rho 0.9 --out -
cp "$work/out" "$csv"
code 0 run heavy_top --end 0.01 --params ch:0.9 --out -
cmp -s "$csv" "$work/out" || fail "--rho 0.9 differs from --params ch:0.9"

# Rows of more than 256 kB are written in pieces, without a seam.
code 0 generate chain --n 6000 --form planar --out "$work/chain.yaml"
code 0 run "$work/chain.yaml" --step 1e-3 --end 2e-3 --every 1 --out "$csv"
same "fields of long rows" "$(awk -F, '{ print NF }' "$csv" | uniq -c | awk '{ print $1, $2 }')" \
    "4 $((6000 * 23 + 6))"
same "times of long rows" "$(cut -d, -f1 "$csv" | tr '\n' ' ')" "t 0 0.001 0.002 "

finish
