#!/bin/sh
# SPDX-License-Identifier: MIT
# The chips of rtl/cores at their pins: clean with every bus and every source of values, each error that
# shows there is found, failures replay and shrink, and a chip that does not start is described.
#   tests/rtl/chips.sh MODELS-FOLDER COLLIDER chips|chips-traffic|chips-errors
set -eu
. "$(dirname "$0")/common.sh"
test=$3
cores=$(cd "$(dirname "$0")/../../rtl/cores" && pwd)
export XDG_CACHE_HOME="$models/chips-cache" # kept, so that a second run need not compile
mkdir -p "$XDG_CACHE_HOME"
cd "$place"

# design NAME BASE SED-SCRIPT: a design file like one of rtl/cores.
design() {
    sed -e "s|sources: .*|sources: [$cores/chip.f]|" -e "$3" "$cores/$2.yaml" >"$1.yaml"
}

# collide DESIGN ARGUMENTS...: the last line is `said`.
collide() {
    name=$1
    shift
    "$collider" run "$name.yaml" --quiet --force --out out "$@" >"$place/output" 2>"$place/complaints" || true
    said=$(tail -n 1 "$place/output")
    [ -n "$said" ] || fail "$name: $(cat "$place/complaints")"
}

expect_clean() {
    collide "$@"
    case $said in
    'no error found'*) echo "$name: $(grep -o '[0-9]* tests.*cycles' "$place/output"), clean" ;;
    *) fail "$name: $said" ;;
    esac
}

# expect SENTENCE DESIGN ARGUMENTS...
expect() {
    sentence=$1
    shift
    collide "$@"
    echo "$name: $said"
    case $said in
    *"$sentence"*) ;;
    *) fail "this was expected: $sentence" ;;
    esac
}

# What fails once fails again in the same way, to the cycle,
expect_repeated() {
    folder=$(echo out/failure-*)
    "$collider" replay "$folder" --allow-code >first || true
    "$collider" replay "$folder" --allow-code >second || true
    cmp first second
}

# and shrinks to few operations.
expect_small() {
    folder=$(echo out/failure-*)
    "$collider" shrink "$folder" --allow-code --quiet >shrunk 2>&1 || true
    operations=$(sed -n 's/.*to *\([0-9]*\) operations\{0,1\}.*/\1/p' shrunk | tail -n 1)
    echo "shrunk to $operations operations"
    [ "$operations" -le "$1" ] || fail "$(cat shrunk)"
}

two='s/HARTS: 4/HARTS: 2/;s/^platform: .*/&\nharts: 2\ncoverage: none/'

case $test in
chips) # little, and quickly compiled
    export COLLIDER_OPTIMISATION=-O0
    design tapped cores "$two"
    expect_clean tapped --tests 10 --jobs 1
    expect_clean tapped --tests 10 --jobs 1 --reads-only
    expect 'violation: ' tapped --tests 100 --options error_select=4 --jobs 1
    expect_repeated
    expect 'hart 1 has retired no instruction for 10000 cycles since reset' \
        tapped --tests 1 --options error_select=30
    expect 'hart 0 has retired no instruction for 3000 cycles since reset' \
        tapped --tests 1 --options error_select=31,patience=3000
    expect 'the image has not ended after 50 cycles' tapped --tests 1 --options limit=50
    ;;
chips-traffic)
    tests=${COLLIDER_RTL_TESTS:-1600}
    for bus in '' -wishbone -axi4 -tilelink -ahb -apb -obi; do
        design "cores$bus" "cores$bus" 's/a/a/'
        expect_clean "cores$bus" --tests "$tests" --ops 256
    done
    design classic cores-wishbone "s/, PIPELINED: [^}]*//;s/prefix: wb_/&, pipelined: false/"
    expect_clean classic --tests $((tests / 4))
    expect_clean cores --tests "$tests" --ops 256 --reads-only
    design rounds cores-axi4 '$arounds: 20'
    expect_clean rounds --tests $((tests / 20))
    design weak cores 's/SETS: 4/&, IN_ORDER: 0/;s|^model: .*|model: rvwmo|'
    expect_clean weak --tests $((tests / 4))
    ;;
chips-errors)
    design log cores '/^tap:/d;/^commits:/d'
    expect 'hart 3 never arrived at the barrier in round 1: it never started' \
        log --tests 1 --options error_select=30,patience=0
    expect 'the chip has asked nothing of memory for 10000 cycles; the image never started' \
        log --tests 1 --options error_select=31
    design cores cores 's/a/a/'
    # 18 is for agents that load early: these harts have one access under way.
    for error in $(seq 1 17) $(seq 19 26); do
        expect ': ' cores --tests 2000 --options error_select="$error"
        case $said in 'no error'*) fail "error $error is not found" ;; esac
        [ "$error" != 4 ] && [ "$error" != 10 ] || { expect_repeated && expect_small 4; }
    done
    ;;
esac
