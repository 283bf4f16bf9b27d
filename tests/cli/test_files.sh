# Files that are written: never one that is read or another output, by any name; own temporaries;
# full disks, devices, links, two runs at a time; what a failure leaves.
. "$(dirname "$0")/support.sh"
models=$(dirname "$0")/../../models
csv=$work/run.csv
short="--step 1e-3 --end 0.05 --quiet"
hdf5=yes
"$cardan" run pendulum --end 0 --out "$work/try.h5" >/dev/null 2>&1 || hdf5=no
cardan=$(realpath "$cardan")
cd "$work" || exit 1

identical() { # WHAT ONE TWO
    checks=$((checks + 1))
    cmp -s "$2" "$3" || fail "$1: $(cmp "$2" "$3" 2>&1 | head -1)"
}
no_rest() { # WHAT FOLDER: no temporary has been left
    same "$1: files left" "$(ls -A "$2" | grep '\.tmp$')" ""
}

# ---- one file by two names ----

cat >"$work/model.yaml" <<'Y'
cardan: 1
include: part.yaml
gravity: [0, 0, -9.81]
joints: [{name: hinge, type: revolute, body1: ground, body2: rod, location: [0, 0, 0], axis: [0, 1, 0]}]
solver: {step: 1.0e-3, end: 0.01}
Y
cat >"$work/part.yaml" <<'Y'
cardan: 1
bodies: [{name: rod, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}]
Y
mkdir -p sub
ln -s ../model.yaml sub/link.yaml
ln model.yaml sub/hard.yaml
cp model.yaml kept.model
cp part.yaml kept.part
# shellcheck disable=SC2086
code 0 run model.yaml --out "$csv" --quiet
cp "$csv" kept.csv
unharmed() { # ARGUMENTS...: refused, nothing is touched
    code 2 "$@"
    says "same file"
    identical "$last: the model" model.yaml kept.model
    identical "$last: the included file" part.yaml kept.part
    identical "$last: the result" "$csv" kept.csv
}
for name in model.yaml ./model.yaml "$work/model.yaml" sub/../model.yaml sub/link.yaml sub/hard.yaml; do
    unharmed run model.yaml --out "$name"
    unharmed run model.yaml --report "$name"
    unharmed run model.yaml --out x.csv --checkpoint "$name"
done
unharmed run model.yaml --out ./sub/../part.yaml
unharmed run model.yaml --out x.csv --report ./x.csv
unharmed run model.yaml --out x.csv --checkpoint "$work/x.csv"
unharmed run bouncing_pendulum --out x.csv --events sub/../x.csv
unharmed run bouncing_pendulum --events x.csv --report ./x.csv
unharmed run model.yaml --out - --report /dev/stdout
unharmed convert "$csv" sub/../run.csv
unharmed report "$csv" -o ./run.csv
unharmed workprec pendulum --steps 0.1 --end 0.2 --csv x.csv --plot ./x.csv
ln -s ../model.yaml sub/model.csv
code 2 convert "$csv" sub/model.csv --model model.yaml
identical "convert over its model" model.yaml kept.model
cp model.yaml sub/run.pvd
cp part.yaml sub
code 2 run sub/run.pvd --vtk sub
says "would write over the model"
same "files that were not asked for" "$(ls x.csv out.csv 2>/dev/null)" ""
# A checkpoint may take the place of the one that the run goes on from.
# shellcheck disable=SC2086
code 0 run pendulum $short --out p.csv --checkpoint p.ckp --checkpoint-steps 20
code 0 run --restart p.ckp --checkpoint ./p.ckp --quiet
cp p.ckp kept.ckp
code 2 run --restart p.ckp --checkpoint q.ckp --report ./p.ckp
code 2 run --restart p.ckp --checkpoint q.ckp --out p.ckp
identical "the checkpoint that was read" p.ckp kept.ckp

# ---- what stands at the place ----

echo precious >victim
for file in p.csv p.csv.tmp p.html.tmp p.h5.tmp p.svg.tmp p2.ckp.tmp; do
    rm -f "$file"
    ln -s victim "$file"
done
# shellcheck disable=SC2086
code 1 run pendulum $short --out p.csv
says "p.csv: it is a symbolic link, and links are not followed"
rm p.csv
# shellcheck disable=SC2086
code 0 run pendulum $short --out p.csv --report p.html --checkpoint p2.ckp --checkpoint-steps 20
# shellcheck disable=SC2086
[ $hdf5 = no ] || code 0 run pendulum $short --out p.h5
command -v gnuplot >/dev/null && code 0 plot p.csv x -o p.svg
same "file behind links of old names of temporaries" "$(cat victim)" precious
rm ./*.tmp
# Devices are refused, the harmless ones and pipes written to directly. The devices are our own: a
# program that fails here may destroy them.
if [ "$(id -u)" -eq 0 ] && mknod device b 7 99 2>/dev/null; then
    for option in --out --report --checkpoint; do
        # shellcheck disable=SC2086
        code 1 run pendulum $short $option device \
            $([ $option = --checkpoint ] && echo --out x.csv)
        says "device: it is a device"
        same "$option: what is there" "$(stat -c %F device)" "block special file"
    done
    rm -f x.csv
else
    echo "SKIPPED IN PART: no device can be made"
fi
if [ "$(id -u)" -eq 0 ] && mknod nowhere c 1 3 2>/dev/null && echo x 2>/dev/null >nowhere; then
    # shellcheck disable=SC2086
    code 1 run pendulum $short --out x.csv --checkpoint nowhere
    says "nowhere: it is a device or a pipe"
    rm -f x.csv
    # shellcheck disable=SC2086
    code 0 run pendulum $short --out nowhere --report nowhere
    same "what is like /dev/null" "$(stat -c %F nowhere)" "character special file"
else
    echo "SKIPPED IN PART: no device like /dev/null can be made"
fi
# shellcheck disable=SC2086
code 0 run pendulum $short --out p.csv
mkfifo pipe
timeout 60 cat pipe >piped &
# shellcheck disable=SC2086
code 0 run pendulum $short --out pipe
wait
identical "through a named pipe" piped p.csv
same "the pipe" "$(stat -c %F pipe)" fifo
# shellcheck disable=SC2086
"$cardan" run pendulum $short --out /dev/stdout | cmp -s - p.csv || fail "--out /dev/stdout"
# shellcheck disable=SC2086
"$cardan" run pendulum $short --out /dev/stdout >piped
identical "/dev/stdout that is a file" piped p.csv
# shellcheck disable=SC2086
"$cardan" run pendulum --step 1e-3 --end 0.05 --out closed.csv >&- 2>/dev/null
identical "standard output closed" closed.csv p.csv
# CSV is read from pipes.
cat p.csv >copy
code 0 convert <(cat copy) back.csv
identical "convert from a pipe" back.csv p.csv
"$cardan" info /dev/stdin <p.csv >/dev/null || fail "info from standard input"
"$cardan" report /dev/stdin -o from.html <p.csv >/dev/null || fail "report from standard input"
same "a page from standard input" "$(tail -c 100 from.html | grep -c '</html>')" 1
cat p.csv | "$cardan" report /dev/stdin 2>"$work/err"
same "a page without a name" $? 2
if [ $hdf5 = yes ]; then
    cat p.h5 | "$cardan" convert /dev/stdin x.csv 2>"$work/err"
    says "is a pipe with HDF5, which needs a file"
fi
# A file keeps who may read it.
chmod 600 p.csv
# shellcheck disable=SC2086
code 0 run pendulum $short --out p.csv
same "mode" "$(stat -c %a p.csv)" 600

# ---- two runs ----

long="heavy_top --step 1e-5 --end 1000 --every 100 --quiet"
for file in two.csv two.h5; do
    [ $file = two.h5 ] && [ $hdf5 = no ] && continue
    # shellcheck disable=SC2086
    doomed run $long --out $file --checkpoint two.ckp &
    life=$!
    for _ in $(seq 200); do
        sleep 0.05
        [ -s $file ] && [ -s two.ckp ] && break
    done
    for again in "run pendulum $short --out $file" "convert p.csv ./$file" \
        "run pendulum $short --out x.csv --checkpoint two.ckp"; do
        # shellcheck disable=SC2086
        code 1 $again
        says "another run is writing it"
        rm -f x.csv
    done
    code 0 info $file # it can be read
    kill -9 $life 2>/dev/null
    wait $life 2>/dev/null
    # Nothing is locked after a kill, and what it left is used or removed.
    # shellcheck disable=SC2086
    code 0 run pendulum $short --out $file
done
rm -f two.*
touch two.csv.abcdefghijkl.tmp two.csv.tmp other.csv.abcdefghijkl.tmp
# shellcheck disable=SC2086
code 0 run pendulum $short --out two.csv
same "temporaries of other files stay" "$(ls ./*.tmp | tr '\n' ' ')" \
    "./other.csv.abcdefghijkl.tmp ./two.csv.tmp "
rm ./*.tmp
# Two that begin at the same time: one is refused, or both one after the other.
if [ $hdf5 = yes ]; then
    for _ in 1 2 3; do
        rm -f two.h5
        # shellcheck disable=SC2086
        "$cardan" run pendulum --step 1e-4 --end 1 --quiet --out two.h5 2>one.err &
        # shellcheck disable=SC2086
        "$cardan" run pendulum --step 1e-4 --end 1 --quiet --out two.h5 2>two.err
        second=$?
        wait $!
        first=$?
        same "two at a time: neither worked" "$((first * second))" 0
        code 0 convert two.h5 two.csv --quiet
        same "two at a time: rows" "$(wc -l <two.csv)" 10002
    done
fi

# ---- full disks ----

mkdir -p small
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1500k cardan small 2>/dev/null; then
    trap 'umount "$work/small"; rm -rf "$work"' EXIT
    if [ $hdf5 = yes ]; then
        code 0 run heavy_top --step 1e-4 --end 2 --quiet --out clean.csv
        code 1 run heavy_top --step 1e-4 --end 2 --quiet --out small/a.h5
        says "small/a.h5: No space left on device"
        says "the run ended at t = "
        code 0 convert small/a.h5 back.csv
        below "rows before the disk was full" 1000 "$(wc -l <back.csv)"
        identical "rows before the disk was full" back.csv \
            <(head -n "$(wc -l <back.csv)" clean.csv)
        code 0 report small/a.h5 -o full.html
        no_rest "HDF5 on a full disk" small
    fi
    rm -rf small/*
    code 1 run heavy_top --sample 0.001 --vtk small/v --out ok.csv
    says "No space left on device"
    same "rows beside frames on a full disk" "$(wc -l <ok.csv)" 1002
    same "list of the frames" "$(tail -1 small/v/run.pvd)" "</VTKFile>"
    for frame in $(sed -n 's/.*file="\([^"]*\)".*/\1/p' small/v/run.pvd); do
        [ "$(tail -1 "small/v/$frame")" = "</VTKFile>" ] || fail "$frame is not whole"
    done
    no_rest "frames on a full disk" small/v
    rm -rf small/*
    for file in r.html c.csv p.svg m.yaml k.ckp h.h5 e.csv w.csv; do
        echo old >small/$file
    done
    dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
    stays() { # ARGUMENTS...
        code 1 "$@"
        says "No space left on device"
    }
    stays report p.csv -o small/r.html
    says "stays as it was"
    stays run pendulum --end 0.1 --report small/r.html
    stays run pendulum --end 0.1 --out small/c.csv
    stays convert p.csv small/c.csv
    stays generate chain --n 1000 --out small/m.yaml
    stays run pendulum --end 0.1 --out x.csv --checkpoint small/k.ckp
    stays run bouncing_pendulum --end 0.1 --out x.csv --events small/e.csv
    stays workprec pendulum --steps 0.1 --end 0.2 --csv small/w.csv
    [ $hdf5 = no ] || stays convert p.csv small/h.h5
    [ $hdf5 = no ] || stays run pendulum --end 0.1 --out small/h.h5
    command -v gnuplot >/dev/null && code 1 plot p.csv x -o small/p.svg
    for file in r.html c.csv p.svg m.yaml k.ckp h.h5 e.csv w.csv; do
        same "$file on a full disk" "$(cat small/$file)" old
    done
    no_rest "full disk" small
    umount small
    trap 'rm -rf "$work"' EXIT
else
    echo "SKIPPED IN PART: no small disk can be mounted"
fi
if [ $hdf5 = yes ]; then
    # Where room cannot be asked for, rows count when they have been written.
    # shellcheck disable=SC2016
    bash -c 'trap "" XFSZ; ulimit -f 1500; exec "$0" "$@"' "$cardan" run heavy_top --step 1e-5 --end 1 \
        --every 2 --quiet --out limit.h5 2>"$work/err"
    same "size limit: exit code" $? 1
    says "File too large"
    code 0 convert limit.h5 back.csv
    same "size limit: rows of zeros" "$(awk -F, 'NR > 2 && $1 == 0' back.csv | wc -l)" 0
fi

# ---- little memory ----

if [ $hdf5 = yes ] && ! grep -qa __asan_init "$cardan"; then
    for size in $(seq 30000 1000 56000); do
        # shellcheck disable=SC2016
        bash -c 'ulimit -v "$0"; exec "$@"' $size "$cardan" run heavy_top --step 1e-3 --end 0.1 --quiet \
            --out little.h5 2>"$work/err"
        below "exit code with $size kB" $? 2
    done
fi

# ---- names ----

for name in '</script>' '=cmd' '+1' '-1' '@x' 'a/b' 'a|b' 'a;b' "a'b" ' a' 'a ' 'a.b'; do
    for section in body sensor; do
        body=rod sensor=end
        eval "$section=\$name"
        cat >names.yaml <<Y
cardan: 1
gravity: [0, 0, -9.81]
bodies: [{name: "$body", mass: 1, inertia: [1, 1, 1]}]
sensors: [{name: "$sensor", type: position, body: "$body"}]
solver: {step: 0.01, end: 0.01}
Y
        code 2 run names.yaml --out names.csv
        says "cannot be used; take letters"
    done
done
for name in 'rod_1' 'left wheel' 'R-2' 'Stößel' '3rd'; do
    sed "s/name: \"[^\"]*\"/name: \"$name\"/; s/body: \"[^\"]*\"/body: \"$name\"/" names.yaml | sed 's/a\.b/end/' >good.yaml
    code 0 run good.yaml --out names.csv --quiet
    same "columns of $name" "$(head -1 names.csv | cut -d, -f2)" "$name.x"
done
no_rest "at the end" "$work"
finish
