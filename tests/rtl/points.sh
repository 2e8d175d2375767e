#!/bin/sh
# SPDX-License-Identifier: MIT
# Points that the RTL does not write down, against others that count. The state changes of rtl/msi's
# caches are those that its cover points imply (changes.awk). A failing instance of
# tests/data/verilog/points.yaml is driven again, from its waveforms, into a model with Verilator's own
# coverage: the lines and toggles have the same counts, and the waveforms are complete.
#   tests/rtl/points.sh MODELS-FOLDER COLLIDER points
set -eu
. "$(dirname "$0")/common.sh"
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
mkdir -p "$models"
XDG_CACHE_HOME=$models/cache
COLLIDER_OPTIMISATION=-O1
export XDG_CACHE_HOME COLLIDER_OPTIMISATION
command -v fst2vcd >/dev/null || { echo "skipped: there is no fst2vcd (package gtkwave)"; exit 77; }

# ---- States.
sed "s|\[msi.f\]|[$root/rtl/msi/msi.f]|" "$root/rtl/msi/msi.yaml" >"$place/msi.yaml"
echo 'fsm: [{module: cache, signal: states, states: state_t}]' >>"$place/msi.yaml"
"$collider" run "$place/msi.yaml" --tests 100 --out "$place/msi" --quiet >"$place/said"
awk -f "$here/changes.awk" "$place/msi/coverage.txt" >"$place/wrong"
[ ! -s "$place/wrong" ] || fail "states and cover points do not agree: $(cat "$place/wrong")"

# ---- Lines and toggles. A test of one instance, which fails after a while.
status=0
"$collider" run "$root/tests/data/verilog/points.yaml" --options error_select=1 --ops 2Ki --locations 16 \
    --engine plain --tests 1 --instances 1 --jobs 1 --waves --out "$place/flat" --quiet >"$place/said" ||
    status=$?
[ $status = 1 ] || fail "nothing failed: $(cat "$place/said")"
fst2vcd -f "$place"/flat/failure-1-1/waves.fst -o "$place/waves.vcd"
verilator --cc --exe --build --no-timing --assert -Wno-fatal -Wno-lint --coverage-line --coverage-toggle \
    --flatten --top-module flat --x-initial 0 -O3 --Mdir "$place/again" \
    "$root/tests/data/verilog/flat.sv" "$here/again.cpp" >"$place/log" 2>&1 || fail "$(cat "$place/log")"
"$place/again/Vflat" "$place/waves.vcd" 16 "$place/coverage.dat"

# "lines flat.sv:116:17-if 12", all instances of agent together.
tr '\001\002' '\t\t' <"$place/coverage.dat" | awk -F'\t' '
    /^C / {
        for (i = 2; i < NF; i += 2) value[$i] = $(i + 1)
        split(value["page"], page, "/")
        if (page[2] !~ /^agent/) next
        count = $NF; sub(/.* /, "", count)
        file = value["f"]; sub(/.*\//, "", file)
        comment = value["o"]
        name = file ":" value["l"] ":" value["n"] (comment == "block" ? "" : "-" comment)
        if (page[1] == "v_toggle") sum["toggles " comment] += count
        else sum["lines " name] += count
    }
    END { for (k in sum) if (sum[k] > 0) print k, sum[k] }' | sort >"$place/verilator"
awk '/^collider coverage/ { counts = 1 }
    counts && /^agent\.(lines|toggles) / { sub(/^agent\./, "", $1); sum[$1 " " $3] += $5 }
    END { for (k in sum) if (sum[k] > 0) print k, sum[k] }' "$place/flat/coverage.txt" | sort >"$place/ours"
[ "$(grep -c '^lines' "$place/ours")" -ge 8 ] || fail "hardly any line is covered: $(cat "$place/ours")"
diff "$place/verilator" "$place/ours" || fail "left: as Verilator counts; right: as we do"
echo "$(wc -l <"$place/ours") lines and bits are counted as Verilator counts them"
