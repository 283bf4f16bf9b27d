# Help, version, the summary of --out, --quiet and --stats, and what a terminal shows.
. "$(dirname "$0")/support.sh"

code 0 --version
same "version" "$(grep -cE '^cardan [0-9]+\.[0-9]+\.[0-9]+$' "$work/out")" 1
cp "$work/out" "$work/version"
code 0 -V
cmp -s "$work/out" "$work/version" || fail "-V differs from --version"
code 0 --help
silent
cp "$work/out" "$work/all"
for question in 'help help' 'help --help' 'help -h' '-h' help; do
    # shellcheck disable=SC2086
    code 0 $question
    silent
    cmp -s "$work/out" "$work/all" || fail "$question differs from --help"
done
for command in problems run verify converge workprec explain generate; do
    code 0 --help
    prints "  $command "
    code 0 $command --help
    silent
    prints 'cardan '$command
    prints 'example'
    cp "$work/out" "$work/direct"
    code 0 help $command
    cmp -s "$work/out" "$work/direct" || fail "help $command differs from $command --help"
done
code 0 run pendulum --help
code 0 help
prints 'usage: cardan COMMAND'

# Every option that run and converge know is in their help.
for command in run verify converge; do
    code 0 $command --help
    for option in method rho params start difference end set expert newton-rtol newton-atol json quiet; do
        prints "--$option"
    done
done

for option in rtol atol min-step max-step step; do
    code 0 run --help
    prints "--$option"
done

code 0 run pendulum --out "$work/p.csv"
prints 'by rtol 0.0001'
prints 'evaluations a step'
prints "to $work/p.csv"
prints 'lambda'
code 0 run pendulum --step 1e-2 --out "$work/p.csv" --quiet
same "--quiet: lines" "$(wc -l <"$work/out")" 0
code 0 run pendulum --step 1e-2 --out "$work/p.csv" --stats
prints 'because of slow convergence'
code 0 run pendulum --step 1e-2 --stats --out -
says 'because of slow convergence'
same "--stats leaves the CSV alone" "$(head -1 "$work/out" | cut -c1-4)" 't,x,'

# Options may stand before the problem, be shortened, and be written with =.
code 0 run --step=1e-2 --end 0.1 pendulum --out -
cp "$work/out" "$work/a"
POSIXLY_CORRECT=1 code 0 run pendulum --step 1e-2 --end 0.1 --out -
cmp -s "$work/out" "$work/a" || fail "the order of arguments matters"
code 0 run --ste 1e-2 --end 0.1 --out - -- pendulum
cmp -s "$work/out" "$work/a" || fail "-- or a shortened option changes the result"

# A short table and a hint, also where the model file asks for rows by the thousand.
last='cardan run pendulum on a terminal'
python3 -c '
import os, pty, sys
shown = []
def read(fd):
    data = os.read(fd, 65536)
    shown.append(data)
    return data
code = pty.spawn(sys.argv[1:], read)
sys.exit(os.waitstatus_to_exitcode(code))' "$cardan" run pendulum </dev/null >"$work/out"
same "$last: exit code" "$?" 0
tr -d '\r' <"$work/out" >"$work/shown"
cp "$work/shown" "$work/out"
prints '`--out FILE.csv` writes them all'
below "$last: lines" "$(wc -l <"$work/out")" 40
same "$last: longest line" "$(awk 'length > 90' "$work/out" | wc -l)" 0
models=$(cd "$(dirname "$0")/../../models" && pwd)
code 0 run "$models/four_bar.yaml" --step 1e-3 --once
same "$last: rows of the table" "$(grep -cE '^ +[0-9.e+-]+( +[0-9.e+-]+){6}$' "$work/out")" 21

# Units: in the short table, which shows joints first, in the state at the end, and elsewhere.
prints 'A.angle    B.angle'
prints '      [rad]      [rad]'
prints 'crank.vx [m/s]'
prints 'A.fx [N] '
prints 'A.mz [N m]'
code 0 run heavy_top --end 0.01 --once
prints 'x1 [m]'
prints 'u1 [m/s]'
prints 'Omega3 [rad/s]'
prints 'lambda1  '
code 0 run andrews --end 0.001 --once
prints 'omega [rad] '
prints 'vomega [rad/s]'
code 0 run jay1 --end 0.01 --once
same "units of equations without a mechanism" "$(grep -c '\[m\]' "$work/out")" 0
code 0 static pendulum
prints 'x [m]'
code 0 modes double_pendulum --about static
prints '[rad/s]        [Hz]'

# Of a large model the state at the end shows some, and says where the rest is.
code 0 generate chain --n 500 --out "$work/chain.yaml"
code 0 run "$work/chain.yaml" --step 1e-3 --end 2e-3 --once --out "$work/chain.csv"
below "lines of the summary of a large model" "$(wc -l <"$work/out")" 60
prints "more; $work/chain.csv has them all"
code 0 run "$work/chain.yaml" --step 1e-3 --end 2e-3 --once
below "lines of the summary of a large model" "$(wc -l <"$work/out")" 60
prints 'more; `--out FILE.csv` writes them all'

# Every command stands in the synopsis of the manual page and among its commands.
page=$(cd "$(dirname "$0")/../../docs/man" && pwd)/cardan.1
code 0 --help
for command in $(sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' "$work/out" | grep -v '^cardan$'); do
    same "$command in the synopsis" \
        "$(sed -n '/^.SH SYNOPSIS/,/^.SH DESC/p' "$page" | grep -cE "^\.B cardan $command( |\$)" | awk '{ print ($1 > 0) }')" 1
    [ $command = help ] && continue
    same "$command among the commands" \
        "$(sed -n '/^.SH COMMANDS/,/^.SH [^C]/p' "$page" | grep -cE "^\.B(I|R|) $command" | awk '{ print ($1 > 0) }')" 1
done

finish
