# cardan energy: rows, words and their JSON, and what is refused.
. "$(dirname "$0")/support.sh"

code 0 energy two_particles --steps 2000
silent
prints "two_particles, h = 0.04"
prints "conserves"
prints "ga3, A = W"
prints "hht is for systems without constraints"
same "one row of conserving" "$(grep -c '^  conserving  ' "$work/out")" 1

code 0 energy free_body --steps 500 --markdown
prints "| method | 5 steps | 50 steps | 500 steps | energy |"
same "conserving runs with rotations" "$(grep -c '| conserving |.*| conserves |' "$work/out")" 1
same "no projections without constraints" "$(grep -c 'A = M |' "$work/out")" 0

code 0 energy two_particles --steps 2000 --json
valid_json
same "steps" "$(json steps)" 2000
same "problem" "$(json problems.0.problem)" two_particles
same "first method" "$(json problems.0.rows.0.method)" ga3

code 2 energy no_such_problem
says "unknown conservative problem"
code 2 energy --steps 5
says "give at least 100"
code 2 energy --markdown --json
says "exclude each other"

finish
