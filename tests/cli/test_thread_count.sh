# --threads: the same rows for any number, from the option or the model file, also in a restart; the
# count in the statistics; and what is refused.
. "$(dirname "$0")/support.sh"

code 0 generate tree --n 40 --out "$work/tree.yaml"
for threads in 1 2 3; do
    code 0 run "$work/tree.yaml" --step 1e-3 --end 0.02 --threads $threads --stats --out "$work/$threads.csv"
    prints "threads                      $threads"
    cmp -s "$work/1.csv" "$work/$threads.csv" || fail "$threads threads give other rows than one"
done
code 0 run "$work/tree.yaml" --step 1e-3 --end 0.02 --set solver.threads=2 --json --out "$work/set.csv"
prints '"threads": 2'
cmp -s "$work/1.csv" "$work/set.csv" || fail "threads of the model file change the rows"

code 0 run "$work/tree.yaml" --step 1e-3 --end 0.02 --threads 2 --checkpoint "$work/c" --checkpoint-steps 7 \
    --out "$work/saved.csv"
code 0 run --restart "$work/c" --threads 3
cmp -s "$work/1.csv" "$work/saved.csv" || fail "a restart with other threads gives other rows"

# Every shipped model at its own settings, most of them smaller than a piece of work for a thread.
tree=$(cd "$(dirname "$0")/../.." && pwd)
for file in "$tree"/models/*.yaml; do
    for threads in 1 2 4; do
        code 0 run "$file" --end 0.02 --threads $threads --out "$work/m$threads.csv"
        cmp -s "$work/m1.csv" "$work/m$threads.csv" || fail "$file: $threads threads give other rows"
    done
done

code 2 run "$work/tree.yaml" --threads 65
says "threads is 65"
code 2 run "$work/tree.yaml" --threads 0
code 2 run "$work/tree.yaml" --threads two

finish
