# Colours: on a terminal only, and not with NO_COLOR.
. "$(dirname "$0")/support.sh"
escape=$(printf '\033')

# on_terminal ARGUMENTS...: what a terminal gets, stdout and stderr.
on_terminal() {
    last="cardan $* on a terminal"
    python3 -c '
import os, pty, sys
def read(fd):
    return os.read(fd, 65536)
pty.spawn(sys.argv[1:], read)' "$cardan" "$@" </dev/null >"$work/out"
}

unset NO_COLOR
export TERM=xterm
on_terminal run pendulum --once
prints "verdict      $escape[32mgood$escape[0m"
on_terminal run no_such_problem
prints "$escape[1;31mcardan:$escape[0m run: unknown"
code 2 run no_such_problem
same "no colours in a pipe" "$(grep -c "$escape" "$work/err")" 0
code 0 run pendulum --once
same "no colours in a file" "$(grep -c "$escape" "$work/out")" 0
for off in NO_COLOR=1 TERM=dumb; do
    export "${off?}"
    on_terminal run pendulum --once
    prints 'verdict      good'
    same "no colours with $off" "$(grep -c "$escape" "$work/out")" 0
    export NO_COLOR= TERM=xterm
done

finish
