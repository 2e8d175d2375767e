#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/models.md says how to add a memory model. This follows it in a copy of the sources: what its
# blocks say goes where they say, and the new model judges as the page says that it does.
#   tests/model.sh BUILD-FOLDER SOURCE-FOLDER
set -eu
build=$1
source=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/tests" "$place/protocols"
cp -r "$source/CMakeLists.txt" "$source/CMakePresets.json" "$source/cmake" "$source/include" "$source/src" \
    "$source/tools" "$source/web" "$source/bench" "$source/examples" "$source/designs" "$source/errors" \
    "$source/docs" "$source/models" "$place"
mkdir "$place/tests/engine"
cp -r "$source/tests/engine/learn" "$place/tests/engine"
cp -r "$source/protocols/mi" "$place/protocols" # the others take long to compile
mkdir -p "$place/web/dist"
cp "$build/generated/report.html" "$place/web/dist" # nor is the page built again
cd "$place"

# The lines of block number $1 under the heading, as they stand there.
block() {
    sed -n '/^## Adding a model/,$p' docs/models.md |
        awk -v wanted="$1" '/^   ```/ { if (++fences == 2 * wanted) exit; next }
                            fences == 2 * wanted - 1 { sub(/^   /, ""); print }'
}

# Steps 1 and 2: the model, and a last row of the list.
block 1 >>src/judge/memory_models.c
awk -v row="$(block 2)" '/define COL_MODELS/ { in_list = 1 }
    in_list && !/\\$/ { print $0 " \\"; print "    " row; in_list = 0; next }
    { print }' include/collider/model.h >model.h
mv model.h include/collider/model.h

# Step 3. Without optimisation, which is the fastest way to a command.
cmake --preset release --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 >/dev/null
cat >traces.axe <<TRACES
0: M[0] := 1
1: M[1] := 1
2: M[0] == 1
2: M[1] == 0
3: M[1] == 1
3: M[0] == 0
check
0: M[0] := 1
0: M[1] := 1
1: M[1] == 1
1: M[0] == 0
check
TRACES
block 3 >steps.sh
status=0
sh -eu steps.sh >out.txt 2>errors.txt || status=$?
verdicts() { grep -E '^(OK|NO)$' | tr '\n' ' '; }
fail() {
    echo "model: $1" >&2
    cat out.txt errors.txt >&2
    exit 1
}
[ "$status" = 1 ] || fail "the last step ended with status $status, not 1"
[ "$(verdicts <out.txt)" = "NO OK " ] || fail "toy should forbid that readers disagree, and nothing else"
[ "$(build/release/collider check --model tso traces.axe 2>&1 | verdicts)" = "NO NO " ] || fail "tso changed"
[ "$(build/release/collider check --model armv8 traces.axe 2>&1 | verdicts)" = "OK OK " ] || fail "armv8 changed"
# The table is that of step 3, and the help knows the model.
# shellcheck disable=SC2016
grep -qF '| `toy` | reads stay in order | read→read | ' docs/models.md || fail "docs/models.md has no row of toy"
build/release/collider run --help | grep -q 'rvwmo or toy' || fail "the help of run does not name toy"
build/release/collider run mi --cores 2 --ops 16 --locations 2 --tests 1 --model toy --quiet >out.txt 2>&1 ||
    fail "run does not know toy"
echo "model: toy was added as docs/models.md says, and judges"
