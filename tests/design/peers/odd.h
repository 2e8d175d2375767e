/* SPDX-License-Identifier: MIT */
/*
 * A peer of the serve protocol that does in each instance what the seed says, and before it what
 * its words say: for Collider to cope with. Rows X(NAME): the seed is the number of its row.
 */
#pragma once

/* Words before it runs: events, reads (what it shows); exits, silent, babbles, banner, version,
 * no-licence, endless-line, zero (instead of a hello); mute, garbage, refuses, large, ends (instead
 * of a description); slow-load, bad-load, no-load, dead-load (instead of an answer to it). */

#define ODD_RUNS(X)                                                                                \
    X(FINE)    /* all events or reads; hits */                                                     \
    X(GARBAGE) /* like all that follow, unless they say otherwise, after a line of events */       \
    X(SILENT)                                                                                      \
    X(EXITS)                                                                                       \
    X(CRASHES)                                                                                     \
    X(TALKS)      /* comments for ever */                                                          \
    X(ENDLESS)    /* a line */                                                                     \
    X(ZERO)       /* a line with a zero byte */                                                    \
    X(NOWHERE)    /* an operation that the program does not have */                                \
    X(STORE_READ) /* what a store returned */                                                      \
    X(MACHINE)    /* one that there is not */                                                      \
    X(TWICE)      /* the same read or load */                                                      \
    X(LACKS)      /* a load or read, but it is complete */                                         \
    X(FAILED)                                                                                      \
    X(DEADLOCK)                                                                                    \
    X(PROTOCOL)                                                                                    \
    X(INVARIANT)                                                                                   \
    X(ODD_END)    /* "end well" */                                                                 \
    X(HANGS_UP)   /* closes its output, and stays */                                               \
    X(DEAF)       /* all goes well, but its input is closed from then on */                        \
    X(LEAVES)     /* all goes well, and then it exits */                                           \
    X(FORKS)      /* a process that outlives it; its number is in the message */                   \
    X(UNTIL_STOP) /* comments, until it is told to stop */                                         \
    X(IGNORES)    /* a stop: all goes well, some time later */                                     \
    X(COMPLAINS)  /* much, on standard error; then all goes well */                                \
    X(TELLS_SEED) /* in the cycles of its end */

enum {
#define ODD_NAME(name) ODD_##name,
    ODD_RUNS(ODD_NAME)
#undef ODD_NAME
        ODD_COUNT
};
