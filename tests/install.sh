#!/bin/sh
# SPDX-License-Identifier: MIT
# The installed library as a user meets it: the README's C example compiles with what pkg-config says,
# against the shared and the static library, and the shared one exports the public names alone.
#   tests/install.sh BUILD-FOLDER SOURCE-FOLDER
set -eu
build=$1
source=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cmake --install "$build" --prefix "$place" >/dev/null
pc=$(find "$place" -name collider.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
library=$(pkg-config --variable=libdir collider)

sed -n '/^```c$/,/^```$/p' "$source/README.md" | sed '1d;$d' >"$place/test.c"
# shellcheck disable=SC2046
cc -Wall -Wextra -Wpedantic -Werror "$place/test.c" -o "$place/shared" $(pkg-config --cflags --libs collider)
# shellcheck disable=SC2046
cc "$place/test.c" -o "$place/static" $(pkg-config --cflags collider) "$library/libcollider.a" -lm
LD_LIBRARY_PATH=$library "$place/shared" >"$place/from-shared"
"$place/static" >"$place/from-static"
cmp "$place/from-shared" "$place/from-static"
"$place/bin/collider" generate --sets 4 --seed 7 | cmp - "$place/from-shared"
test -f "$place/share/collider/models/power.cat"
test -f "$place/share/collider/designs/mesi3.yaml" && test -f "$place/share/collider/errors/mesi3/D9.yaml"

# Each public header stands alone, and needs nothing beyond C17.
for header in $(cd "$source/include" && find collider -name '*.h'); do
    echo "#include <$header>" |
        cc -std=c17 -DCOL_STANDARD_C -Wall -Wextra -Wpedantic -Werror -I"$place/include" -fsyntax-only -xc -
done
if grep -rlE '__(builtin|attribute|extension|typeof)' "$source/include" | grep -v '/compiler.h$'; then
    echo "install: compiler extensions outside of compiler.h" >&2
    exit 1
fi

nm -D --defined-only "$library/libcollider.so" | awk '{ print $3 }' | sort >"$place/exported"
cat "$source"/include/collider/*.h | grep -v '^ \*\|^#' | tr '\n' ' ' |
    grep -o 'COL_API[^;]*;' | grep -oE 'col_[a-z0-9_]+ *(\(|\[)' | tr -d ' ([' | sort >"$place/declared"
diff "$place/declared" "$place/exported"
echo "install: $(wc -l <"$place/declared") public names, README example runs"
