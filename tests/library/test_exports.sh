#!/usr/bin/env bash
# The shared library exports cardan_* and nothing else, and every function of the public headers, at most 150;
# cardan.h includes all headers, and docs/api.md is made of them as they are.
# usage: test_exports.sh LIBRARY INCLUDE_DIRECTORY
set -euo pipefail
library=$1
include=$2
status=0

exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | sort -u)
foreign=$(grep -v '^cardan_[a-z0-9_]*$' <<<"$exported" || true)
if [ -n "$foreign" ]; then
    echo "exported but not cardan_*:" "$foreign"
    status=1
fi

# The first cardan_name( of every declaration that begins with CARDAN_API.
declared=$(cat "$include"/cardan/*.h |
    awk '/^CARDAN_API/ {text = ""; inside = 1}
         inside {text = text " " $0}
         inside && /;/ {inside = 0; match(text, /cardan_[a-z0-9_]*\(/)
                        print substr(text, RSTART, RLENGTH - 1)}' | sort -u)
if [ "$(wc -l <<<"$declared")" -lt 40 ]; then
    echo "only $(wc -l <<<"$declared") declarations found in $include: the search is broken"
    status=1
fi
if [ "$(wc -l <<<"$exported")" -gt 150 ]; then
    echo "$(wc -l <<<"$exported") functions are exported, more than 150"
    status=1
fi
for header in "$include"/cardan/*.h; do
    name=$(basename "$header")
    if [ "$name" != cardan.h ] && ! grep -q "^#include <cardan/$name>$" "$include/cardan/cardan.h"; then
        echo "cardan.h does not include $name"
        status=1
    fi
done
"$include/../scripts/api-page" --check || status=1
missing=$(comm -23 <(echo "$declared") <(echo "$exported"))
if [ -n "$missing" ]; then
    echo "declared but not exported:" "$missing"
    status=1
fi
undeclared=$(comm -13 <(echo "$declared") <(echo "$exported"))
if [ -n "$undeclared" ]; then
    echo "exported but declared in no public header:" "$undeclared"
    status=1
fi
exit $status
