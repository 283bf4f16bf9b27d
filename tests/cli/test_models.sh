# Every file in models/ is sound by `cardan check`, runs, and has a page.
. "$(dirname "$0")/support.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)

for file in "$tree"/models/*.yaml; do
    name=$(basename "$file" .yaml)
    code 0 check "$file" --end 0.02
    code 0 run "$file" --end 0.02 --quiet --out "$work/out.csv"
    checks=$((checks + 1))
    [ "$(tail -1 "$work/out.csv" | cut -d, -f1)" = 0.02 ] || fail "$name does not reach its end"
done

finish
