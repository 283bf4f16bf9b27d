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
same "methods in one word, as in zsh and fish" \
    "$("$cardan" completion -- run pendulum --method=cons | grep cons)" --method=conserving
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
for question in 'completion --help' 'help completion'; do
    # shellcheck disable=SC2086
    code 0 $question
    silent
    prints 'bash'
done

for shell in zsh fish; do
    command -v $shell >/dev/null || continue
    file=$tree/cli/completion/cardan.fish
    [ $shell = fish ] || file=$tree/cli/completion/_cardan
    checks=$((checks + 1))
    $shell -n "$file" || fail "$file has errors"
done

if command -v fish >/dev/null; then
    for try in 'run --me --method' 'run --method=cons --method=conserving' 'run susp suspension' 'ver verify'; do
        same "fish: ${try% *}" \
            "$(PATH=$(dirname "$cardan"):$PATH fish -c "source $tree/cli/completion/cardan.fish; complete -C 'cardan ${try% *}'")" \
            "${try##* }"
    done
fi

finish
