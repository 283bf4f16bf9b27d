# Completion of `cardan` for fish; `cardan completion` gives the words.
function __cardan_words
    set -l words (commandline -opc) (commandline -ct)
    $words[1] completion -- $words[2..-1] 2>/dev/null
end
complete -c cardan -a '(__cardan_words)'
