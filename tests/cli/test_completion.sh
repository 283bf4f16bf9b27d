# Completion in bash, as a user sees it: the words that would be offered.
. "$(dirname "$0")/support.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)
. "$tree/cli/completion/cardan.bash"
unset CARDAN_MODELS

# offers LINE: the words offered at the end of the line, in one line.
offers() {
    COMP_WORDS=("$cardan" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _cardan
    printf '%s\n' "${COMPREPLY[@]}"
}

same "commands" "$(offers ver)" verify
same "options" "$(offers run --che | paste -sd ' ')" "--checkpoint --checkpoint-every --checkpoint-steps"
same "options after an argument" "$(offers run pendulum --newton-r)" --newton-rtol
same "options of a laboratory command" "$(offers converge --ste)" --steps
same "models" "$(offers run susp)" suspension
same "problems" "$(offers verify heavy_top_s | paste -sd ' ')" "heavy_top_spatial heavy_top_se3"
same "methods" "$(offers run pendulum --method cons)" conserving
same "methods behind =" "$(offers run pendulum --method = cons)" conserving
same "methods of explain" "$(offers explain rk)" rk5
same "commands behind help" "$(offers help conve | paste -sd ' ')" "convert converge"
same "nothing for files" "$(offers info xy)" ""
same "nothing for nonsense" "$(offers nonsense --x)" ""

# Every option of the help is offered.
code 0 run --help
for option in $(grep -oE '^  --[a-z0-9-]+' "$work/out"); do
    same "$option is offered" "$(offers run "$option" | grep -cx -e "$option")" 1
done

code 2 completion
says 'usage'
code 0 completion --help
prints 'bash'

for shell in zsh fish; do
    command -v $shell >/dev/null || continue
    file=$tree/cli/completion/cardan.fish
    [ $shell = fish ] || file=$tree/cli/completion/_cardan
    checks=$((checks + 1))
    $shell -n "$file" || fail "$file has errors"
done

finish
