#!/bin/sh
# SPDX-License-Identifier: MIT
# What is installed as a user meets it: the C example of docs/c-library.md compiles with what pkg-config says,
# against the shared and the static library, the shared one exports the public names alone, and plug-ins
# find them all in the command. The command reads its own files before those of the source tree; manual
# pages and completions are there.
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

sed -n '/^```c$/,/^```$/p' "$source/docs/c-library.md" | sed '1d;$d' >"$place/test.c"
# shellcheck disable=SC2046
cc -Wall -Wextra -Wpedantic -Werror "$place/test.c" -o "$place/shared" $(pkg-config --cflags --libs collider)
# shellcheck disable=SC2046
cc "$place/test.c" -o "$place/static" $(pkg-config --cflags collider) "$library/libcollider.a" -lm
LD_LIBRARY_PATH=$library "$place/shared" >"$place/from-shared"
"$place/static" >"$place/from-static"
cmp "$place/from-shared" "$place/from-static"
"$place/bin/collider" generate --sets 4 --seed 7 | cmp - "$place/from-shared"

# Its own files come first, and those of a source tree after them.
say() {
    echo "install: $1" >&2
    exit 1
}
share=$place/share/collider
sed -i 's/^description:.*/description: the installed one/' "$share/designs/mesi3.yaml"
"$place/bin/collider" design list | grep -qx 'mesi3: the installed one' || say "the source tree's design is read"
sed -i 's/^summary:.*/summary: the installed one/' "$share/errors/mesi3/D9.yaml"
"$place/bin/collider" design errors mesi3 D9 | grep -qx 'D9: the installed one' || say "the source tree's error is read"
echo 'nonsense' >"$share/protocols/msi/msi.slicc"
if "$place/bin/collider" design mutants msi >/dev/null 2>&1; then say "the source tree's protocol is read"; fi
rm "$share/designs/mesi3.yaml"
"$place/bin/collider" design list | grep -q '^mesi3: ' || say "the source tree is not read at all"
sed -i 's/^title:.*/title: the installed one/' "$share/plans/first.yaml"
"$place/bin/collider" campaign first --dry-run | grep -qx 'first: the installed one' || say "the source tree's plan is read"
test -f "$place/share/collider/examples/toy-design/toy.c" || say "no examples"
cc -std=c17 -shared -fPIC "-I$place/include" "$place/share/collider/examples/toy-design/toy.c" -o "$place/toy.so"

test -f "$share/models/power.cat" || say "no models"
test -f "$share/rtl/adapters/collider_axi4_adapter.sv" || say "no bus adapters"

# The Python package finds the library and its designs from where they are installed, whatever runs it.
(cd "$place" && env -u COLLIDER_LIBRARY PYTHONPATH="$place/lib/python3/dist-packages" python3 -c '
import collider
assert collider.run("mesi3", cores=2, ops=16, locations=2, tests=1).verdict == "pass"
') || say "the Python package does not work"
sed -i 's/^name:.*/nonsense/' "$share/designs/mesi2.yaml"
if (cd "$place" && env -u COLLIDER_LIBRARY PYTHONPATH="$place/lib/python3/dist-packages" python3 -c '
import collider
collider.Design("mesi2")' 2>/dev/null); then say "the library reads the designs of the source tree"; fi

# A manual page for the command and each of its subcommands, with every option of --help.
for name in $("$place/bin/collider" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    page=$place/share/man/man1/collider-$name.1
    grep -q "collider.-$name" "$place/share/man/man1/collider.1" || say "collider.1 does not know $name"
    "$place/bin/collider" help "$name" | sed -n 's/^ .*--\([a-z-]*\) .*/\1/p' >"$place/options"
    while read -r option; do
        grep -q "^.*[\]-[\]-$(echo "$option" | sed 's/-/[\\]-/g')[\]fR" "$page" || say "$page does not have --$option"
    done <"$place/options"
done
for page in "$place"/share/man/man1/*.1; do
    if command -v man >/dev/null; then
        LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -l "$page" 2>"$place/warnings" >/dev/null
        test ! -s "$place/warnings" || say "$page: $(cat "$place/warnings")"
    fi
done

# The completion of bash answers; those of the others are at least well-formed where they are there.
bash -s "$place/share/bash-completion/completions/collider" <<'END' || say "completion of bash"
source "$1"
answers() { # ANSWER WORD...
    local wanted=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _collider
    [[ " ${COMPREPLY[*]} " == *" $wanted "* ]] || { echo "no '$wanted' for '$*': ${COMPREPLY[*]}" >&2; exit 1; }
}
answers run collider r
answers report collider r
answers campaign collider help c
answers --engine collider run mesi2 --en
answers -j collider run mesi2 -
answers chain-bias collider run mesi2 --engine chain
answers tso collider check --model t
answers mesi3 collider run mes
answers show collider design s
answers gem5-mi-example collider design show gem5
cd / && answers usr collider run mesi2 --out us
[[ " ${COMPREPLY[*]} " != *" --out "* ]]
END
if command -v zsh >/dev/null; then zsh -n "$place/share/zsh/site-functions/_collider"; fi
if command -v fish >/dev/null; then fish -n "$place/share/fish/vendor_completions.d/collider.fish"; fi

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
cat $(ls "$source"/include/collider/*.h | grep -v '/guest.h$') | grep -v '^ \*\|^#' | tr '\n' ' ' |
    grep -o 'COL_API[^;]*;' | grep -oE 'col_[a-z0-9_]+ *(\(|\[)' | tr -d ' ([' | sort >"$place/declared"
diff "$place/declared" "$place/exported"
echo "install: $(wc -l <"$place/declared") public names, README example runs"

# The engine of examples/ as its page says, with what is installed; and every public name is there for a
# plug-in, in the command that loads it.
cd "$place"
PATH=$place/bin:$PATH
cp share/collider/examples/bandit-engine/bandit.c .
sed -n '/^## An engine of your own/,/^## /p' "$source/docs/engines/README.md" |
    sed -n '/^```sh$/,/^```$/p' | sed '1d;$d' >as-written.sh
sh -eu as-written.sh >as-written.txt
grep -q '^mesi3, .* \./bandit\.so, ' as-written.txt
{
    echo '#include <collider/engine.h>'
    echo '#include <dlfcn.h>'
    echo '#include <stdio.h>'
    echo 'static const char *const names[] = {'
    sed 's/.*/"&",/' declared
    echo '0};'
    cat <<'END'
static col_status open_all(void **state, const col_engine_settings *settings,
                           const col_engine_space *space, col_problem *problem) {
    int found = 0;
    for (const char *const *name = names; *name != 0; name++)
        if (dlsym(RTLD_DEFAULT, *name) == 0)
            fprintf(stderr, "install: a plug-in does not find %s\n", *name);
        else
            found++;
    *state = (void *)space;
    snprintf(problem->message, sizeof problem->message, "%d names found", found);
    return settings != 0 ? COL_BAD_INPUT : COL_OK;
}
static void close_all(void *state) { (void)state; }
static col_status next_all(void *state, const col_feedback *feedback, col_program *program,
                           col_point *point, col_problem *problem) {
    (void)state, (void)feedback, (void)program, (void)point, (void)problem;
    return COL_OK;
}
const col_engine_interface col_engine_plugin = {
    .version = COL_ENGINE_VERSION, .name = "all", .summary = "finds all names",
    .open = open_all, .close = close_all, .next = next_all};
END
} >all.c
# shellcheck disable=SC2046
cc -std=c17 -D_GNU_SOURCE -shared -fPIC $(pkg-config --cflags collider) all.c -o all.so
collider run mi --engine ./all.so --out none >all.txt 2>&1 || true
echo "collider: error: $(wc -l <declared) names found" | diff - all.txt
echo "install: the engine of examples/ runs as its page says, and finds every public name"
