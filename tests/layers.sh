#!/bin/sh
# SPDX-License-Identifier: MIT
# The check of layers finds what is planted in a small tree: an include and a call upwards, of a header
# and of an object, a name without its prefix, a function that rounds as it likes, and tables that do not fit the tree.
#   tests/layers.sh SOURCE-FOLDER
set -eu
layers=$1/tools/layers
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
mkdir -p docs include/collider src/low src/high build/x.dir/src/low build/x.dir/src/high

compile() {
    cc -I src -I include -c "src/$1.c" -o "build/x.dir/src/$1.c.o"
}

plant() { # the tree as it should be
    rm -rf src/other include/collider/*.h
    cat >docs/architecture.md <<'MAP'
| folder | owns | may call | prefix |
| --- | --- | --- | --- |
| `low/` | the ground | | `low` |
| `high/` | the rest | `low/` | `high` |
| `low.h` | `low/` |
| `high.h` | `high/` |
MAP
    printf 'int low(int);\n' >src/low/low.h
    printf '#include "low/low.h"\nint low(int x) {\n    return x;\n}\n' >src/low/low.c
    printf '#include "low/low.h"\n\nint high(int x);\nint high(int x) {\n    return low(x);\n}\n' >src/high/high.c
    : >src/high/high.h
    printf '#include <stdint.h>\n' >include/collider/low.h
    printf '#include <collider/low.h>\n' >include/collider/high.h
    compile low/low
    compile high/high
}

fails=0
expect() { # the sentence, or nothing
    if [ "$("$layers" . build 2>&1 || true)" != "$1" ]; then
        echo "expected: $1"
        echo "     was: $("$layers" . build 2>&1 || true)"
        fails=1
    fi
    if [ -n "$1" ] && "$layers" . build 2>/dev/null; then
        echo "exit status 0 although: $1"
        fails=1
    fi
    plant
}

plant
expect ""

sed -i '1a #include "high/high.h"' src/low/low.c
expect 'src/low/low.c:2: low/ includes high/high.h, but may not call high/ (docs/architecture.md)'

printf '#include <collider/high.h>\n' >>src/low/low.h
expect 'src/low/low.h:2: low/ includes collider/high.h, but may not call high/ (docs/architecture.md)'

printf '#include <collider/high.h>\n' >>include/collider/low.h
expect 'include/collider/low.h:2: low/ includes collider/high.h, but may not call high/ (docs/architecture.md)'

printf 'int high(int);\nint low(int x) {\n    return x < 0 ? high(x) : x;\n}\n' >src/low/low.c
compile low/low
expect 'src/low/low.c:1: low/ calls high of high/, but may not call high/ (docs/architecture.md)'

printf 'int deep(int x);\nint deep(int x) {\n    return x;\n}\n' >>src/low/low.c
compile low/low
# shellcheck disable=SC2016
expect 'src/low/low.c:5: deep is neither public nor begins as names of low/ do: `low` '

printf 'double pow(double, double);\nint low(int x) {\n    return pow(x, 0.3) > 2;\n}\n' >src/low/low.c
compile low/low
expect 'src/low/low.c:1: low/ calls pow, which need not round alike everywhere'

# An exception lets it pass for as long as something needs it.
# shellcheck disable=SC2016
printf '| `low/` → `high/` | because |\n' >>docs/architecture.md
sed -i '1a #include "high/high.h"' src/low/low.c
expect ""
# shellcheck disable=SC2016
printf '| `low/` → `high/` | because |\n' >>docs/architecture.md
expect 'docs/architecture.md: nothing needs the exception low/ → high/: delete its row'

# shellcheck disable=SC2016
sed -i 's/^| `low\/` | the ground | |/| `low\/` | the ground | `high\/` |/' docs/architecture.md
expect 'docs/architecture.md:3: low/ may call high/, which is not above it'

mkdir src/other
: >src/other/other.c
expect 'src/other/: the folder is not in the table of docs/architecture.md'

: >include/collider/other.h
expect 'include/collider/other.h: the header is not in the table of docs/architecture.md'

# What is left in the build of a file that is gone does not count.
printf 'int high(int);\nint gone(int x);\nint gone(int x) {\n    return high(x);\n}\n' >src/low/gone.c
compile low/gone
rm src/low/gone.c
expect ""

exit $fails
