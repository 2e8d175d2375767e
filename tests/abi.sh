#!/bin/sh
# SPDX-License-Identifier: MIT
# The binary interface that docs/promises.md promises: what libcollider.so.0 exports, how its functions
# are declared, what its constants are and how its structures lie in memory, against tests/data/abi.
#   tests/abi.sh LIBRARY SOURCE-FOLDER          compares
#   tests/abi.sh --fix LIBRARY SOURCE-FOLDER    takes additions over, also into debian/; refuses anything else
# COLLIDER_ABI names another folder than tests/data/abi. Without clang, which knows the layouts, it
# exits with 77.
set -eu
fixes=
if [ "$1" = --fix ]; then
    fixes=1
    shift
fi
library=$1
source=$2
promised=${COLLIDER_ABI:-$source/tests/data/abi}
command -v clang >/dev/null || exit 77
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
LC_ALL=C
export LC_ALL

# What compiled protocols are made against is the library's own affair: they are rebuilt at need.
for header in "$source"/include/collider/*.h; do
    name=$(basename "$header")
    [ "$name" = protocol.h ] || echo "#include <collider/$name>"
done >"$place/all.c"
cc -std=c17 -E -P -I"$source/include" "$place/all.c" >"$place/all.i"

# "nm -D" of the guest's library is not asked: its functions are in guest.h, and so declared below.
nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$place/symbols.txt"

tr '\n' ' ' <"$place/all.i" | sed 's/__attribute__((visibility("default")))/\n@/g' | sed -n 's/^@ *\([^;]*\);.*/\1/p' |
    sed 's/  */ /g; s/( /(/g; s/ $//' | sort >"$place/declarations.txt"

# Whatever is in capitals after the preprocessor is an enumerator. Counts of others grow with them.
{
    cat "$place/all.c"
    echo '#include <stdio.h>'
    echo 'int main(void) {'
    grep -oE '\bCOL_[A-Z0-9_]+\b' "$place/all.i" | grep -vE '_COUNT$|^COL_EVENT_KINDS$' | sort -u |
        sed 's/.*/printf("& %lld\\n", (long long)&);/'
    echo '}'
} >"$place/constants.c"
cc -std=c17 -w -I"$source/include" "$place/constants.c" -o "$place/constants"
"$place/constants" >"$place/constants.txt"

# STRUCTURE: size and alignment; STRUCTURE OFFSET TYPE MEMBER.
clang -std=c17 -I"$source/include" -Xclang -fdump-record-layouts-complete -fsyntax-only "$place/all.c" |
    sed 's/([a-z]* at [^)]*)/(unnamed)/' |
    awk '/Dumping AST/ { getline; sub(/^ *0 \| /, ""); name = $0; next }
         name !~ /^(struct|union) col_/ { next }
         /\[sizeof=/ { gsub(/[][|,]/, ""); $1 = $1; print name ": " $0; next }
         / \| / { $1 = $1; sub(/ \|/, ""); print name " " $0 }' | sort >"$place/layouts.txt"

# Debian's list says since when each symbol is there.
package() {
    symbols=$source/debian/libcollider0.symbols
    version=$(sed -n 's/^project(collider VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
    sed "s/.*/ &@Base $version/" | cat "$symbols" - >"$place/package"
    { head -n 3 "$place/package" && sed 1,3d "$place/package" | sort; } >"$symbols"
}

status=0
for list in symbols declarations constants layouts; do
    [ -s "$place/$list.txt" ] || { echo "abi: no $list found" >&2 && exit 1; }
    [ -n "$fixes" ] && [ ! -e "$promised/$list.txt" ] && cp "$place/$list.txt" "$promised/"
    comm -23 "$promised/$list.txt" "$place/$list.txt" >"$place/gone"
    comm -13 "$promised/$list.txt" "$place/$list.txt" >"$place/new"
    if [ -s "$place/gone" ]; then
        echo "abi: $list that programs may have been compiled with are gone or changed; unless only a parameter was renamed, this needs a new SONAME:" >&2
        sed 's/^/  - /' "$place/gone" >&2
        sed 's/^/  + /' "$place/new" >&2
        status=1
    elif [ -s "$place/new" ] && [ -n "$fixes" ]; then
        cp "$place/$list.txt" "$promised/"
        [ $list != symbols ] || [ ! -e "$source/debian" ] || package <"$place/new"
    elif [ -s "$place/new" ]; then
        echo "abi: new $list; if they are meant to stay, run tests/abi.sh --fix:" >&2
        sed 's/^/  + /' "$place/new" >&2
        status=1
    fi
done
[ $status -ne 0 ] ||
    echo "abi: $(wc -l <"$place/symbols.txt") symbols, $(wc -l <"$place/constants.txt") constants," \
        "$(grep -c ': ' "$place/layouts.txt") structures as promised"
exit $status
