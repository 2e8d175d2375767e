#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands that have threads, built with ThreadSanitizer, which reports data races and ends what has one
# with status 66.  threads.sh COMMAND CASE
set -eu
collider=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 log_path=$folder/race" XDG_CACHE_HOME="$folder"

# expect STATUS WORDS...: the command's status, and no race in any of its processes.
expect() {
    wanted=$1
    shift
    status=0
    "$collider" "$@" >output 2>errors || status=$?
    cat race* 2>/dev/null && exit 1
    [ "$status" = "$wanted" ] || {
        echo "$*: status $status, not $wanted"
        cat output errors
        exit 1
    }
}

# interrupt FILE WORDS...: the same, for a command that gets a signal when FILE is there.
interrupt() {
    file=$1
    shift
    "$collider" "$@" >output 2>errors &
    process=$!
    until [ -e "$file" ]; do sleep 0.1; done
    kill -TERM $process
    status=0
    wait $process || status=$?
    cat race* 2>/dev/null && exit 1
    [ "$status" = 143 ] || {
        echo "$*: status $status after SIGTERM"
        cat output errors
        exit 1
    }
}

run_case() {
    small='--cores 4 --ops 64:256 --locations 4:8 --jobs 4 --quiet --force'
    for engine in scout chain-bias mtg dqg-corf; do
        expect 0 run mesi2 $small --engine $engine --tests 8 --out out
    done
    expect 0 run mesi2 $small --own-process --tests 4 --out out
    expect 1 run mesi2 $small --error SQ+no-FIFO --keep-going --tests 8 --out out
    expect 0 run mesi2 $small --tests 4 --save --out out
    expect 0 run mesi2 $small --tests 8 --resume out --out out
    interrupt signalled/episode.json run mesi2 $small --time 1000s --repeat --out signalled
    expect 0 run host --ops 64 --tests 2 --model wmo --quiet --force --out out
}

explore_case() {
    expect 0 explore mi --jobs 4 --quiet
    expect 0 explore mesi2 --jobs 4 --quiet
    expect 0 explore mi --jobs 4 --quiet --save saved
    expect 0 explore mi --jobs 4 --quiet --resume saved
}

shrink_case() {
    expect 1 run mesi2 --cores 4 --ops 128 --locations 4 --engine chain-bias --error SQ+no-FIFO --jobs 4 --quiet --out out
    expect 1 shrink out/failure-* --jobs 4 --time 5s --quiet --out small
    expect 1 replay small --quiet
}

campaign_case() {
    printf 'plan: p\ndefaults: {design: mi, cores: 2, ops: 32, tests: 3}\ngrids: [{engine: [plain, scout], seed: 1..4}]\n' >p.yaml
    expect 0 campaign p.yaml --jobs 4 --quiet
    expect 0 report p.db --quiet
    sed 's/tests: 3/tests: 100000000/' p.yaml >long.yaml
    interrupt long.db campaign long.yaml --out long.db --jobs 4 --quiet
}

# Readers side by side, while the store grows.
serve_case() {
    printf 'plan: p\ndefaults: {design: mi, cores: 2, ops: 32, tests: 3}\ngrids: [{engine: [plain, scout], seed: 1..20}]\n' >p.yaml
    expect 0 campaign p.yaml --shard 1/2 --out p.db --jobs 2 --quiet
    "$collider" serve p.db --port 0 >served 2>errors &
    server=$!
    until address=$(grep -o 'http://[0-9.:]*[^ ]*' served); do
        kill -0 $server
        sleep 0.1
    done
    "$collider" campaign p.yaml --shard 2/2 --out other.db --quiet >/dev/null
    "$collider" campaign merge p.db other.db >/dev/null &
    python3 - "$address" <<'PYTHON'
import sys, threading, urllib.request
def read():
    for _ in range(10):
        assert urllib.request.urlopen(sys.argv[1], timeout=300).status == 200
threads = [threading.Thread(target=read) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
PYTHON
    kill -TERM $server
    wait || true
    cat race* 2>/dev/null && exit 1
    return 0
}

"$2_case"
