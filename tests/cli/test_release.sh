# scripts/release: what it complains about, and that it tags when all is ready. In a small repository of its own.
. "$(dirname "$0")/support.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)
command -v git >/dev/null || { echo "no git"; exit 0; }
cd "$tree"
cp --parents scripts/release CMakeLists.txt include/cardan/export.h CHANGELOG.md CITATION.cff docs/man/cardan.1 \
    debian/changelog debian/control "$work"
cd "$work"
touch out err
git init -q . && git config user.name tester && git config user.email tester@localhost
printf 'out\nerr\n' >.gitignore
commit() {
    git add -A && git commit -qm "$1"
}
commit "as it is"

# release CODE ARGUMENTS...
release() {
    local expected=$1
    shift
    checks=$((checks + 1))
    last="scripts/release $*"
    scripts/release "$@" >out 2>err
    local got=$?
    [ "$got" -eq "$expected" ] || { fail "$last: exit code $got instead of $expected"; cat err; }
}

release 2
release 2 1.2
release 1 9.8.7
for file in CMakeLists.txt include/cardan/export.h CHANGELOG.md CITATION.cff docs/man/cardan.1; do
    says "$file has no line"
done
says "debian/changelog begins with"

sed -i 's/^project(cardan VERSION [0-9.]*/project(cardan VERSION 9.8.7/' CMakeLists.txt
sed -i 's/^\(#define CARDAN_VERSION  *\)".*"/\1"9.8.7"/' include/cardan/export.h
sed -i '0,/^## .*/s//## 9.8.7 (2026-12-24)/' CHANGELOG.md
sed -i '/^date-released/d; s/^version: .*/version: 9.8.7\ndate-released: 2026-12-24/' CITATION.cff
sed -i 's/"cardan [0-9.]*"/"cardan 9.8.7"/' docs/man/cardan.1
sed -i '1s/(.*)/(9.8.7)/' debian/changelog
release 1 --check 9.8.7
says 'not clean'
commit "all is ready"
release 0 --check 9.8.7
same "--check does not tag" "$(git tag)" ""
sed -i 's/^Package: libcardan[0-9]*/Package: libcardan77/' debian/control
commit "another library"
release 1 9.8.7
says 'debian/control has no line'
git revert --no-edit HEAD >/dev/null
release 0 9.8.7
same "the tag" "$(git tag)" v9.8.7
release 1 9.8.7
says 'the tag v9.8.7 exists'

finish
