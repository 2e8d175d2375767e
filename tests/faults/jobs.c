/* SPDX-License-Identifier: MIT */
/* The table of jobs: see stage.h. In `prepare`, $COLLIDER is the command, $SOURCE the project; a
 * file `input` becomes the job's standard input. */
#include "faults/stage.h"

#include "engine/engines.h"

#include <stddef.h>

#define RUN                                                                                        \
    "run mi --jobs 1 --cores 2 --ops 16 --locations 4 --tests 2 --instances 2 --out out --json "   \
    "out.json"
#define ENGINE(name, ...) {"run-" name, NULL, RUN " --engine " name},
#define FAIL                                                                                       \
    "run mesi2 --jobs 1 --cores 2 --ops 32 --locations 4 --sets 1 --engine plain-bias --tests 20 " \
    "--options without=fifo --out out"
#define FAILED "$COLLIDER " FAIL " >log 2>&1; rm -f log; mv out/failure-* failure; rm -r out"
#define SAVED "$COLLIDER " RUN " --engine rlg-bias --save >log 2>&1 && rm log out.json"
#define PLAN                                                                                       \
    "printf '%s\\n' 'plan: tiny' 'title: A tiny plan' 'defaults: {design: mi, cores: 2, ops: 16, " \
    "locations: 2, instances: 1, tests: 2}' 'grids:' '  - {engine: [plain, rlg-bias], seed: 1}' "  \
    "'  - {kind: tour, protocol: si, cores: 2, method: bfs}' >plan.yaml"
#define STORED                                                                                     \
    PLAN " && $COLLIDER campaign plan.yaml --out tiny.db --jobs 1 --quiet >/dev/null 2>&1"
#define COMPILED                                                                                   \
    "cp $SOURCE/protocols/mi/*.sm $SOURCE/protocols/mi/mi.slicc . && $COLLIDER design compile "    \
    "mi.slicc >/dev/null 2>&1"
#define NIGHT                                                                                      \
    FAILED " && mkdir night && cp -r failure night/failure-1-1 && mv failure night/failure-2-1"
/* The failure of a design file with a protocol of its own. */
#define OWN                                                                                        \
    COMPILED " && echo 'protocol: mi.slicc' >own.yaml && $COLLIDER run own.yaml --jobs 1 --cores " \
             "2 --ops 32 --locations 4 --sets 1 --engine plain-bias --tests 20 --options "         \
             "without=fifo --out out >log 2>&1; rm -f log; mv out/failure-* failure; rm -r out"
#define PACKED OWN " && $COLLIDER pack failure -q && rm -r failure own.yaml mi*"
#define SMALL                                                                                      \
    "printf 'collider program 1\\nlocation a0 0x40\\nthread 0\\nstore a0 1\\nload a0\\nthread "    \
    "1\\nload a0\\nend\\n' >small.txt"
/* Of a hart that is done, in the image of SMALL. */
#define RECORD                                                                                     \
    "printf '\\002LOC\\000\\000\\000\\000\\001'; head -c 31 /dev/zero; printf "                    \
    "'\\307\\306\\217\\122'; head -c 20 /dev/zero"
#define SB                                                                                         \
    "printf 'X86_64 SB\\n{}\\n P0 | P1 ;\\n movl $1,(x) | movl $1,(y) ;\\n movl (y),%%eax | movl " \
    "(x),%%eax ;\\nexists (0:rax=0 /\\\\ 1:rax=0)\\n' >sb.litmus"
/* What a scheduler would start: the folder of a campaign, and a submission that says 7. */
#define SUBMITTED                                                                                  \
    PLAN " && mkdir bin && printf '#!/bin/sh\\necho 7\\n' >bin/sbatch && chmod +x bin/sbatch && "  \
         "PATH=$PWD/bin:$PATH $COLLIDER campaign plan.yaml --slurm --tasks 1 --detach --out "      \
         "tiny.db "                                                                                \
         ">/dev/null 2>&1"
/* A store with a failure. */
#define FOUND                                                                                      \
    "printf '%s\\n' 'plan: tiny' 'defaults: {design: mesi2, cores: 2, ops: 32, locations: 4, "     \
    "sets: 1, tests: 20, error: SQ+no-FIFO}' 'grids:' '  - {engine: plain-bias, seed: 1}' "        \
    ">plan.yaml && $COLLIDER campaign plan.yaml --out tiny.db --jobs 1 --quiet >/dev/null 2>&1"
/* What an editor sends: it opens a protocol with a mistake and a litmus test, asks about words of
 * both, and leaves. */
#define EDITED                                                                                     \
    "m() { printf 'Content-Length: %d\\r\\n\\r\\n%s' ${#1} \"$1\"; }; a() { m "                    \
    "'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"'$1'\",\"params\":'\"$2\"'}'; }; "                \
    "n() { m '{\"jsonrpc\":\"2.0\",\"method\":\"'$1'\",\"params\":'\"$2\"'}'; }; "                 \
    "o() { n textDocument/didOpen "                                                                \
    "'{\"textDocument\":{\"uri\":\"untitled:'$1'\",\"languageId\":\"'$2'\",\"version\":1,"         \
    "\"text\":\"'"                                                                                 \
    "\"$3\"'\"}}'; }; q() { for h in hover definition; do a textDocument/$h "                      \
    "'{\"textDocument\":{\"uri\":\"untitled:'$1'\"},\"position\":{\"line\":'$2',\"character\":'$"  \
    "3'}}'; "                                                                                      \
    "done; a textDocument/documentSymbol '{\"textDocument\":{\"uri\":\"untitled:'$1'\"}}'; }; "    \
    "{ a initialize '{\"capabilities\":{}}'; n initialized '{}'; "                                 \
    "o a.sm slicc 'int f(int a) { return a + b; }'; q a.sm 0 4; "                                  \
    "o sb.litmus litmus 'X86_64 SB\\n{}\\n P0 | P1 ;\\n movl $1,(x) | movl $1,(y) ;\\n movl "      \
    "(y),%eax | movl (x),%eax ;\\nexists (0:rax=0)\\n'; q sb.litmus 4 7; "                         \
    "a shutdown null; n exit null; } >input"
#define COVERED "$COLLIDER " RUN " --engine plain --quiet >/dev/null 2>&1 && rm out.json"
#define KEPT "$COLLIDER " RUN " --engine plain --quiet --corpus >/dev/null 2>&1 && rm out.json"
#define TRACE(name) "cp $SOURCE/tests/data/trace/" name ".axe trace.axe"

const fault_job fault_jobs[] = {
    DIR_ENGINES(ENGINE){"run-fails", NULL, FAIL},
    {"run-jobs", NULL,
     "run mi --jobs 2 --cores 2 --ops 16 --locations 4 --tests 2 --instances 2 --out out --json "
     "out.json"},
    {"run-command",
     "cp $SOURCE/tests/data/command/machine.py $SOURCE/tests/data/command/sb.txt . && printf "
     "'%s\\n' 'kind: command' 'run: python3 {here}/machine.py {folder} good' 'platform: "
     "qemu-riscv64' 'harts: 2' 'results: log' 'rounds: 3' >my.yaml",
     "run my.yaml --jobs 1 --program sb.txt --instances 4 --out out"},
    {"run-command-together",
     "cp $SOURCE/tests/data/command/machine.py . && mkdir p && cp "
     "$SOURCE/tests/data/command/sb.txt "
     "p/test-0001.txt && sed s/0x00001000/0x00002000/ p/test-0001.txt >p/test-0002.txt && printf "
     "'%s\\n' 'kind: command' 'run: python3 {here}/machine.py {folder} dumps' 'platform: "
     "qemu-riscv64' 'harts: 2' 'results: memory' 'rounds: 2' 'programs: 2' >my.yaml",
     "run my.yaml --jobs 1 --program p --out out --json out.json"},
    {"run-program", SMALL,
     "run mi --jobs 1 --cores 2 --program small.txt --instances 4 --out out --json out.json"},
    {"run-dma",
     "cp $SOURCE/tests/data/dma/dma.s* . && $COLLIDER design compile dma.slicc >/dev/null 2>&1",
     "run dma.slicc --jobs 1 --cores 2 --ops 16 --locations 4 --engine plain --mix "
     "dma-read=1,dma-write=1,load=1,store=1 --options start=written --tests 1 "
     "--instances 1 --out out"},
    {"run-cat", NULL,
     "run mi --jobs 1 --cores 2 --ops 16 --locations 4 --tests 1 --instances 1 --engine plain "
     "--model power.cat --out out"},
    {"run-reads-only", NULL, RUN " --engine plain --reads-only"},
    {"run-own-process", NULL, RUN " --own-process --witness"},
    {"run-serve", "echo exec $(dirname $COLLIDER)/../toy-serve > peer", /* a tab keeps it a word */
     "run serve:sh\tpeer --jobs 1 --cores 2 --ops 16 --locations 4 --tests 2 --instances 2 --out "
     "out --json out.json"},
    {"run-save", NULL, RUN " --engine mtg --save"},
    {"run-resume", SAVED, RUN " --engine rlg-bias --tests 4 --resume out --save"},
    {"run-log", NULL, RUN " --engine rlg-bias --learning-log log.csv"},
    {"run-corpus", NULL, RUN " --engine plain --corpus"},
    {"run-corpus-resume",
     SAVED " && rm -r out && $COLLIDER " RUN " --engine rlg-bias --save --corpus "
           "--quiet >/dev/null 2>&1 && rm out.json",
     RUN " --engine rlg-bias --tests 4 --resume out --save"},
    {"run-suite", KEPT,
     "run mi --jobs 1 --cores 2 --program out/corpus --out again --json again.json"},
    {"run-junit", NULL,
     "run mi --jobs 1 --cores 2 --ops 16 --locations 4 --tests 2 --instances 2 --engine plain "
     "--out out --junit out.xml"},
    {"distil", KEPT, "distil out --out suite --json suite.json"},
    {"distil-again",
     KEPT " && $COLLIDER distil out --quiet --out suite >/dev/null && sed -i "
          "s/test-0001/test-0009/ suite/suite.txt && mv suite/test-0001.txt "
          "suite/test-0009.txt",
     "distil out --out suite --metric functional"},
    {"run-error", NULL,
     "run mesi2 --jobs 1 --cores 2 --ops 16 --locations 4 --tests 1 --instances 1 --error "
     "SQ+no-FIFO --out "
     "out"},
    {"run-mutant", NULL,
     "run mi --jobs 1 --mutant 3 --cores 2 --ops 16 --locations 4 --tests 1 --instances 1 --out "
     "out"},
    {"run-compiled", COMPILED,
     "run mi.slicc --jobs 1 --cores 2 --ops 16 --locations 4 --tests 1 --instances 1 --out out"},
    {"replay", FAILED, "replay failure --json replay.json"},
    {"replay-events", FAILED, "replay failure --events --json replay.json"},
    {"replay-vcd", FAILED, "replay failure --format vcd --out out.vcd"},
    {"replay-perfetto", FAILED, "replay failure --format perfetto --out out.json"},
    {"replay-many", NIGHT, "replay night --json replay.json"},
    {"replay-design", NIGHT, "replay night --design mesi2 --runs 2 --jobs 1 --json replay.json"},
    {"replay-pack", PACKED, "replay failure.pack --json replay.json"},
    {"replay-stored", FOUND, "replay tiny.db --failure 1 --json replay.json"},
    {"shrink", FAILED, "shrink --jobs 1 failure --seeds 2 --out small --json small.json"},
    {"shrink-more", FAILED, "shrink --jobs 1 failure --seeds 4 --out small"},
    {"shrink-many", NIGHT, "shrink --jobs 1 night --seeds 2 --out small --json small.json"},
    {"shrink-pack", PACKED, "shrink --jobs 1 failure.pack --seeds 2 --out small --json small.json"},
    {"pack", OWN, "pack failure --out it.pack --json out.json"},
    {"check", TRACE("store-buffering"),
     "check trace.axe --model sc --explain --dot out.dot --svg out.svg --json out.json"},
    {"check-atomics", TRACE("atomics"), "check trace.axe --json out.json"},
    {"check-values", TRACE("same-value"), "check trace.axe --explain --json out.json"},
    {"check-hard", "cp $SOURCE/tests/faults/hard.axe trace.axe", "check trace.axe --model sc"},
    {"check-text", FAILED, "check failure/events.trace --format text"},
    {"check-recording", FAILED, "check failure/events.trace --explain --json out.json"},
    {"check-cat", TRACE("store-buffering"),
     "check trace.axe --model power.cat --explain --json out.json"},
    {"check-cat-recording", FAILED, "check failure/events.trace --model power.cat --json out.json"},
    {"image", SMALL,
     "image small.txt --platform qemu-aarch64 --rounds 2 --out out --json out.json"},
    {"image-into", SMALL " && mkdir out && echo mine >out/notes.txt",
     "image small.txt --platform qemu-aarch64 --rounds 2 --out out --json out.json"},
    {"image-together", SMALL " && sed 's/0x40/0x80/' small.txt >other.txt",
     "image small.txt other.txt --together --platform qemu-x86_64 --rounds 2 --out out"},
    {"litmus", SB, "litmus --model tso.cat sb.litmus --json out.json"},
    {"litmus-design", SB, "litmus --design mi --cores 2 --runs 4 sb.litmus --json out.json"},
    {"check-log",
     SMALL " && $COLLIDER image small.txt --platform tohost --rounds 2 --out image -q && "
           "{ " RECORD "; " RECORD "; head -c 384 /dev/zero; } >results.bin",
     "check --program small.txt --map image/map.json --log results.bin --json out.json"},
    {"check-commits",
     SMALL " && $COLLIDER image small.txt --platform tohost --rounds 2 --out image "
           "-q && printf '0 0x80004014 x13 3\\n1 0x8000404c x13 2\\n0 "
           "0x80004014 x13 2\\n1 0x8000404c x13 4\\n' >commits.txt",
     "check --program small.txt --map image/map.json --commit-log commits.txt --explain --json "
     "out.json"},
    {"explore", NULL, "explore mi --json out.json --reached reached.txt"},
    {"explore-witnesses", NULL, "explore mi --witnesses witnesses.json"},
    {"explore-reach", NULL, /* tabs keep it a word */
     "explore mi --reach L1Cache\tI\tLoad --emit test.txt --json out.json"},
    {"explore-save", NULL, "explore mi --save mi.search --json out.json"},
    {"explore-resume", "$COLLIDER explore mi --states 40 --save mi.search >/dev/null 2>&1; true",
     "explore mi --resume mi.search --save mi.search --json out.json"},
    {"explore-dot", NULL, "explore mi --format dot"},
    {"explore-livelock", NULL, "explore mi --livelock --json out.json"},
    {"compile", "cp $SOURCE/protocols/mi/*.sm $SOURCE/protocols/mi/mi.slicc .",
     "design compile mi.slicc"},
    {"list", NULL, "design list --json out.json"},
    {"show", NULL, "design show msi --json out.json"},
    {"show-html", NULL, "design show mi --format html"},
    {"show-dot", NULL, "design show mi --format dot"},
    {"errors", NULL, "design errors mesi2 --json out.json"},
    {"mutants", NULL, "design mutants mi --list --json out.json"},
    {"campaign", PLAN, "campaign plan.yaml --out tiny.db --jobs 1"},
    {"campaign-jobs", PLAN, "campaign plan.yaml --out tiny.db --jobs 2 --json out.json"},
    {"campaign-dry", PLAN, "campaign plan.yaml --dry-run --jobs 1"},
    {"campaign-resume", STORED " && sed -i 's/seed: 1/seed: 1..2/' plan.yaml",
     "campaign plan.yaml --out tiny.db --jobs 1 --resume"},
    {"campaign-shard", PLAN, "campaign plan.yaml --out tiny.db --jobs 1 --shard 1/2"},
    {"campaign-where", PLAN, "campaign plan.yaml --out tiny.db --jobs 1 --where {cores:\t2}"},
    {"campaign-progress",
     STORED " && sed -i 's/seed: 1/seed: 1..2/' plan.yaml && $COLLIDER campaign plan.yaml --out "
            "tiny.db --jobs 1 --where 'seed: 1' -q >/dev/null",
     "campaign status tiny.db --json out.json"},
    {"campaign-merge", STORED, "campaign merge merged.db tiny.db"},
    {"campaign-merge-into",
     PLAN " && for i in 1 2; do $COLLIDER campaign plan.yaml --out $i.db --shard $i/2 --jobs 1 "
          "--quiet >/dev/null 2>&1 || exit 1; done",
     "campaign merge 1.db 2.db"},
    {"campaign-work", SUBMITTED, "campaign work tiny.db.cluster --quiet"},
    {"campaign-status", /* what the first batch has is published */
     SUBMITTED " && rm tiny.db.cluster/job && sed -i 's/\\[\\[.*\\]\\]/[]/' "
               "tiny.db.cluster/batches/00000-0000x1.json",
     "campaign status tiny.db.cluster --json out.json"},
    {"coverage-show", COVERED, "coverage show out --json out.json"},
    {"coverage-html", COVERED, "coverage show out --format html --out out.html"},
    {"coverage-merge", COVERED, "coverage merge all.txt out/coverage.txt out/coverage.txt"},
    {"coverage-who", KEPT, "coverage who L1Cache\tI\tLoad out out/corpus --json out.json"},
    {"coverage-who-store", STORED, "coverage who L1Cache\tI\tLoad tiny.db --json out.json"},
    {"coverage-diff", COVERED, "coverage diff out out --json out.json"},
    {"report-html", STORED, "report tiny.db --out out.html --json out.json"},
    {"report-until", STORED, "report tiny.db --until 100 --price 1 --format md --out out.md"},
    {"report-csv", STORED, "report tiny.db --format csv --out out"},
    {"report-json", STORED, "report tiny.db --format json --out report.json"},
    {"report-md", STORED, "report tiny.db --format md --out report.md"},
    {"report-svg", STORED, "report tiny.db --format svg --out out"},
    {"report-ucis", STORED, "report tiny.db --format ucis --out out.xml"},
    {"report-junit", STORED, "report tiny.db --format junit --out out.xml"},
    {"generate", NULL, "generate --threads 2 --ops 16 --count 2 --out out --json out.json --stats"},
    {"generate-svg", NULL, "generate --threads 2 --ops 16 --out out --format svg"},
    {"generate-cycle", NULL,
     "generate --engine litmus --cycle Rfe,PosRR,Fre --format litmus --isa riscv"},
    {"generate-cycles", NULL,
     "generate --engine litmus --up-to 4 --relaxations PodWR,FencedWR,PodRWPL,Rfe,Fre --out out "
     "--json out.json --stats"},
    {"generate-show", NULL, "generate --engine plain --threads 2 --ops 16 --show"},
    {"tour-bfs", NULL, "tour --protocol si --cores 2 --method bfs --emit tour.txt --json out.json"},
    {"tour-euler", NULL, "tour --protocol mesi --cores 2 --method euler --emit tour.txt"},
    {"tour-postman", NULL, "tour --protocol mesi --cores 2 --emit tour.txt --curve curve.csv"},
    {"tour-clusters", NULL,
     "tour --protocol mesi --cores 4 --clusters 2 --emit tour.txt --json out.json"},
    {"lsp", EDITED, "lsp"},
    {"tour-jammer", NULL, "tour --protocol si --cores 2 --method jammer --json out.json"},
};
const int fault_job_count = sizeof fault_jobs / sizeof fault_jobs[0];
