# cardan static and cardan modes: built-in problems and model files, tables and JSON, bad input.
. "$(dirname "$0")/support.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)

code 0 static pendulum
silent
prints 'Stable'
code 0 static double_pendulum --json
valid_json
near "lower mass" "$(json state.y2)" -2 1e-10
near "upper rod" "$(json state.lambda1)" 19.62 1e-9
same "stability" "$(json stability)" stable
near "softest" "$(json smallest)" 5.746564953119937 1e-9 # (2 - sqrt 2) g
code 0 static pendulum --load-steps 4 --json
same "load steps" "$(json load_steps)" 4
code 1 static skate
says 'forces of up to'
code 1 static rolling_ball_turntable
says 'asks for a speed'

code 0 modes double_pendulum --about static
silent
prints '0.381526'
prints '0.921086'
code 0 modes double_pendulum --about static --undamped --json
valid_json
near "first" "$(json modes.0.imag)" 2.397199397864086 1e-9
near "second" "$(json modes.1.imag)" 5.787351298036095 1e-9
same "steady" "$(json is_steady)" True
code 0 modes pendulum
prints 'not steady'
code 0 modes pendulum --about 1.5 --json
near "time" "$(json t)" 1.5 0

# The bicycle as a file has the published eigenvalues (Meijaard et al. 2007).
bicycle=$tree/models/bicycle.yaml
code 0 modes "$bicycle" --set lean_rate=0 --json
valid_json
same "zeros" "$(json zeros)" 6
near "capsize" "$(json modes.0.real)" -0.32286642900409 1e-11
near "weave" "$(json modes.1.real)" -0.77534188219585 1e-11
near "weave" "$(json modes.1.imag)" 4.46486771378823 1e-11
near "castering" "$(json modes.2.real)" -14.07838969279822 1e-11
same "stable" "$(json largest_real)" 0.0
code 0 modes "$bicycle" --set lean_rate=0 --set speed=4.2 --json
below "unstable when slow" 0 "$(json largest_real)"
code 0 modes "$bicycle" --set lean_rate=0 --set speed=6.1 --json
below "unstable when fast" 0 "$(json largest_real)"
code 0 static "$bicycle" --json
same "falls over" "$(json stability)" unstable

code 2 static
code 2 static no_such_problem
code 2 static pendulum --load-steps some
code 2 modes pendulum --about never
says 'neither'
code 2 modes heavy_top --undamped
says 'state of rest'
code 2 modes pendulum --about -1
says 'before the start'
code 0 static --help
prints 'examples:'
code 0 modes --help
prints 'examples:'

# The lowest modes of a large model.
"$cardan" generate chain --n 120 --out "$work/chain.yaml"
code 0 modes "$work/chain.yaml" --about static --count 4
prints "These are the lowest modes"
same "four modes" "$(grep -c '^ *[0-9]* .*link' "$work/out")" 4
code 0 modes "$work/chain.yaml" --about static --count 4 --json
valid_json
same "zeros are not counted" "$(json zeros)" null
code 2 modes "$work/chain.yaml" --count few
code 0 static "$work/chain.yaml"
prints "Neutral: nothing holds some directions"
finish
