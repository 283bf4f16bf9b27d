# Models that come with the program, by their names: where they are looked for, what goes before what,
# and what is said of unknown names.
. "$(dirname "$0")/support.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)
unset CARDAN_MODELS

short() {
    code 0 run "$@" --end 0.01 --once --quiet --out "$work/$(basename "$1").csv"
}

same_result() {
    checks=$((checks + 1))
    cmp -s "$work/$1.csv" "$work/$2.csv" || fail "$1 and $2 are not the same run"
}

# By name, with and without ending, and by its path.
short four_bar
short four_bar.yaml
short "$tree/models/four_bar.yaml"
same_result four_bar four_bar.yaml

# Both a problem and a model: the problem, unless .yaml says otherwise.
short pendulum
short pendulum.yaml
same "a problem goes first" "$(head -1 "$work/pendulum.csv" | cut -d, -f1-3)" t,x,y
same ".yaml means the model" "$(head -1 "$work/pendulum.yaml.csv" | cut -d, -f2)" bob.x

# A file of that name goes before the model, but not before a problem.
cd "$work"
cp "$tree/models/pendulum.yaml" four_bar.yaml
short four_bar.yaml
same "a file here goes first" "$(head -1 "$work/four_bar.yaml.csv" | cut -d, -f2)" bob.x
rm four_bar.yaml

# Folders of the user: the first that has it, then the program's own.
mkdir one two
cp "$tree/models/pendulum.yaml" two/mine.yaml
cp "$tree/models/pendulum.yaml" two/robot.yaml
cp "$tree/models/four_bar.yaml" two/with.dot.yaml
export CARDAN_MODELS="$work/nowhere:one:$work/two"
short mine
short with.dot
short robot
same "the user's folder goes before the program's" "$(head -1 "$work/robot.csv" | cut -d, -f2)" bob.x
short suspension
code 0 models mine
prints "$work/two/mine.yaml"
code 0 models
prints 'mine '
prints 'suspension '
same "each name is listed once" "$(grep -c '^robot ' "$work/out")" 1
cp "$work/two/mine.yaml" one/mine.yaml
code 0 models mine
prints "one/mine.yaml"
unset CARDAN_MODELS

# Unknown names: the nearest of problems and models.
code 2 run fourbar
says 'unknown problem or model `fourbar`; did you mean `four_bar`?'
code 2 check suspention
says 'did you mean `suspension`?'
code 2 run heavytop
says 'did you mean `heavy_top`?'
code 2 models suspention
says 'unknown model `suspention`; did you mean `suspension`?'
code 2 run nowhere/four_bar
says 'nowhere/four_bar'
code 2 run no_such_file.yaml
says 'no_such_file.yaml'

code 0 models --json
valid_json
same "--json: names" "$(json 0.name)" andrews
same "--json: files" "$(json 0.file | grep -c 'andrews.yaml$')" 1
same "as many as in the tree" "$(grep -c '"name"' "$work/out")" "$(ls "$tree"/models/*.yaml | wc -l)"

finish
