#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs as images on rtl/cores: their log and the retirement tap say the same, and it is
# allowed by TSO or, if stores leave the buffer in any order, by RVWMO; injected errors are seen.
# COLLIDER_RTL_PROGRAMS is the number of programs.
#   tests/rtl/images.sh MODELS-FOLDER COLLIDER
set -eu
. "$(dirname "$0")/common.sh"
programs=${COLLIDER_RTL_PROGRAMS:-6}
rounds=40

# make_programs MIX COUNT: of narrow words and four threads.
make_programs() {
    "$collider" generate --quiet --engine plain --threads 4 --ops 80 --locations 8 --space 8 --align 8 \
        --block 16 --sharing mixed --mix "$1" --seed 5 --count "$2" --out "$place/programs"
    for program in "$place"/programs/*.txt; do
        sed -i '1a word 4' "$program"
    done
}

# run MODEL PROGRAM SEED ERROR LOG: boots the image of a program.
run() {
    program=$place/programs/$2.txt
    image=$place/image
    "$collider" image "$program" --quiet --platform rtl-cluster --rounds $rounds --seed "$3" --skew 4 --log "$5" \
        --out "$image"
    results=$(grep -A 2 '"results"' "$image/map.json")
    base=$(echo "$results" | sed -n 's/.*"base": "\(.*\)".*/\1/p')
    size=$(echo "$results" | sed -n 's/.*"size": "\(.*\)".*/\1/p')
    "$models/$1/cluster_run" "$image/image.bin" --seed "$3" --error "$4" --cycles 3000000 \
        --commits "$place/commits" --dump "$place/log" --base "$base" --size "$size" >"$place/said"
}

judge() {
    "$collider" check --quiet --program "$program" --map "$image/map.json" --model "$1" "$2" "$3"
}

random() { printf 'test-%04d' "$1"; }

make_programs 'load=4,store=4,swap=1,add=1,fence=0.5,flush=0.3,store-release=0.3,load-acquire=0.3' "$programs"
for number in $(seq 0 $((programs - 1))); do
    for model in cluster-tso:tso cluster-weak:rvwmo; do
        run "${model%:*}" "$(random "$number")" "$number" 0 \
            "$([ $((number % 2)) -eq 0 ] && echo store || echo registers)"
        judge "${model#*:}" --log "$place/log" >"$place/by-log"
        judge "${model#*:}" --commit-log "$place/commits" >"$place/by-tap"
        diff "$place/by-log" "$place/by-tap"
        [ "$(grep -c OK "$place/by-log")" -eq $rounds ]
    done
done
echo "$((2 * programs)) images, $((2 * programs * rounds)) rounds are allowed"

# What store buffers are there for is seen: stores that loads overtake, and, out of order, stores
# that overtake others while the first one is slow.
cat >"$place/programs/store-buffering.txt" <<'PROGRAM'
collider program 1
word 4
location a0 0x000
location a1 0x040
thread 0
  store a0 1
  load a1
thread 1
  store a1 2
  load a0
end
PROGRAM
cat >"$place/programs/message-passing.txt" <<'PROGRAM'
collider program 1
word 4
location a0 0x000
location a1 0x040
location a2 0x084
location a3 0x0c8
location a4 0x10c
thread 0
  store a2 1
  store a3 6
  store a4 7
  store a0 2
  store a1 3
thread 1
  load a1
  load a0
  load a1
  load a0
  load a1
  load a0
  load a1
  load a0
  load a1
  load a0
thread 2
  store a2 4
  store a3 8
  store a4 9
  load a1
  load a0
  load a1
  load a0
  load a1
  load a0
  load a1
  load a0
  load a1
  load a0
end
PROGRAM

# seen BUILD PROGRAM ALLOWED FORBIDDEN: all rounds are allowed by one model, and some not by the
# other, with one of ten seeds for the stalls of bus and memory.
seen() {
    for seed in $(seq 1 10); do
        run "$1" "$2" "$seed" 0 tap
        judge "$3" --commit-log "$place/commits" >/dev/null
        judge "$4" --commit-log "$place/commits" >"$place/verdicts" 2>/dev/null || true
        bad=$(grep -c NO "$place/verdicts" || true)
        [ "$bad" -eq 0 ] || break
    done
    echo "$2 on $1, seed $seed: $bad of $rounds rounds are not $4"
    [ "$bad" -gt 0 ]
}
rounds=200
seen cluster-tso store-buffering tso sc
seen cluster-weak message-passing rvwmo tso
rounds=40

# Errors of the caches that harts find, too: a lost invalidation, a bypass that is missed, a lost
# write-back, two owners, an atomic that is none.
for error in 1 4 8 9 10; do
    found=no
    for number in $(seq 0 $((programs - 1))); do
        run cluster-tso "$(random "$number")" "$number" "$error" tap || { found=exit; break; }
        judge tso --commit-log "$place/commits" >/dev/null 2>&1 || { found=check; break; }
    done
    echo "error $error: found by $found"
    [ $found != no ]
done
