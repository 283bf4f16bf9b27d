# Completion of `cardan` for bash; `cardan completion` gives the words.
_cardan() {
    local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]}
    [[ $word != = ]] || word=
    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" completion -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "$word"))
}
# If no word fits, complete file names.
complete -o bashdefault -o default -F _cardan cardan
