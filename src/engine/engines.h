/* SPDX-License-Identifier: MIT */
/*
 * The directing engines, a row each: the list of names, the help of `collider run` and the table of
 * docs/engines/README.md are made from it. A new engine is a row here and a file that defines its
 * functions (engine.h); several rows may share a file.
 *
 *   X(name, functions, summary, ...): dir_FUNCTIONS is what the file defines; then members of
 *   dir_engine: .paper and .feedback, which docs tell, .page (in docs/engines), .ends, and what the
 *   functions need to know of the row. `.window` is how many tests may be under way before the
 * engine must know what came of the first of them, 1 unless a row says otherwise; with a `.lag`, of
 * the one that has the lowest place (engine.h).
 */
#pragma once

/* Without direction: those that `collider generate` and studies of locations also know. */
#define DIR_UNDIRECTED(X)                                                                          \
    X("plain", undirected, "independent operations, unconstrained addresses", .paper = "PLAIN−",   \
      .feedback = "none", .window = DIR_INDEPENDENT, .page = "../generation.md")                   \
    X("plain-bias", undirected, "independent operations, competing locations", .paper = "PLAIN+",  \
      .feedback = "none", .window = DIR_INDEPENDENT, .page = "../generation.md", .biased = true)   \
    X("chain", undirected, "dependence chains, unconstrained addresses", .paper = "CHAIN−",        \
      .feedback = "none", .window = DIR_INDEPENDENT, .page = "../generation.md", .chained = true)  \
    X("chain-bias", undirected, "dependence chains, competing locations", .paper = "CHAIN+",       \
      .feedback = "none", .window = DIR_INDEPENDENT, .page = "../generation.md", .chained = true,  \
      .biased = true)

#define DIR_CTG(X)                                                                                 \
    X("ctg1", ctg, "model-based: planes of growing tests, all sets", .paper = "CTG (DTG), 1",      \
      .feedback = "full coverage", .ends = true, .page = "ctg.md", .chained = true,                \
      .biased = true, .window = DIR_INDEPENDENT, .needs_coverage = true, .variant = 1)             \
    X("ctg2", ctg, "model-based: one set, or as many as locations", .paper = "CTG (DTG), 2",       \
      .feedback = "full coverage", .ends = true, .page = "ctg.md", .chained = true,                \
      .biased = true, .window = DIR_INDEPENDENT, .needs_coverage = true, .variant = 2)             \
    X("ctg3", ctg, "model-based: one set", .paper = "CTG (DTG), 3", .feedback = "full coverage",   \
      .ends = true, .page = "ctg.md", .chained = true, .biased = true, .window = DIR_INDEPENDENT,  \
      .needs_coverage = true, .variant = 3)                                                        \
    X("htg", htg, "hybrid: neighbourhoods explored by coverage and time", .paper = "HTG",          \
      .feedback = "what each test covered, its cycles", .ends = true, .page = "htg.md",            \
      .chained = true, .biased = true, .window = DIR_WINDOW, .needs_coverage = true)

#define DIR_MTG(X)                                                                                 \
    X("mtg-random", mtg, "random tests of a test memory (McVerSi RAND)", .paper = "McVerSi RAND",  \
      .feedback = "none", .page = "mtg.md", .window = DIR_INDEPENDENT, .variant = DIR_MTG_RANDOM)  \
    X("mtg-standard", mtg, "genetic: single-point crossover (McVerSi Std.XO)",                     \
      .paper = "McVerSi Std.XO", .feedback = "rare transitions, non-determinism",                  \
      .page = "mtg.md", .watches = true, .window = DIR_WINDOW, .variant = DIR_MTG_STANDARD)        \
    X("mtg", mtg, "genetic: selective crossover, adaptive coverage (McVerSi)",                     \
      .paper = "McVerSi ALL", .feedback = "rare transitions, non-determinism", .page = "mtg.md",   \
      .watches = true, .window = DIR_WINDOW, .variant = DIR_MTG_ALL)

#define DIR_LEARNING(X)                                                                            \
    X("rlg", rlg, "learns to steer plain tests by reinforcement (RLG-)", .paper = "RLG−",          \
      .feedback = "coverage gained per time", .page = "rlg.md")                                    \
    X("rlg-bias", rlg, "learns to steer plain tests that compete (RLG+)", .paper = "RLG+",         \
      .feedback = "coverage gained per time", .page = "rlg.md", .biased = true)                    \
    X("rlg-chain", rlg, "learns to steer chains that compete (RLG*)", .paper = "RLG*",             \
      .feedback = "coverage gained per time", .page = "rlg.md", .chained = true, .biased = true)   \
    X("rag", dqg, "transforms programs by random actions (RAG)", .paper = "RAG",                   \
      .feedback = "none", .page = "dqg.md", .biased = true)                                        \
    X("dqg-rf", dqg, "an agent transforms programs; sees reads-from (DQG)", .paper = "DQG♦",       \
      .feedback = "coverage gained, RF signatures", .page = "dqg.md", .biased = true,              \
      .watches = true, .variant = COL_OBSERVE_RF)                                                  \
    X("dqg-co", dqg, "the same; sees replies to misses", .paper = "DQG♠",                          \
      .feedback = "coverage gained, CO signatures", .page = "dqg.md", .biased = true,              \
      .watches = true, .variant = COL_OBSERVE_CO)                                                  \
    X("dqg-corf", dqg, "the same; sees both", .paper = "DQG♥",                                     \
      .feedback = "coverage gained, RF and CO signatures", .page = "dqg.md", .biased = true,       \
      .watches = true, .variant = COL_OBSERVE_CORF)

#define DIR_ABSTRACT(X)                                                                            \
    X("tour", tour, "a tour through all transitions of an abstract protocol",                      \
      .paper = "Qin and Mishra", .feedback = "none", .window = DIR_INDEPENDENT, .ends = true,      \
      .is_between = true, .page = "tour.md")                                                       \
    X("jammer", jammer, "agents of the cores that seek rare abstract transitions",                 \
      .paper = "MCjammer", .feedback = "none", .window = DIR_INDEPENDENT, .is_between = true,      \
      .page = "jammer.md")

#define DIR_CYCLES(X)                                                                              \
    X("litmus", litmus, "litmus tests of cycles of relaxations, many copies each",                 \
      .paper = "diy-litmus", .feedback = "none", .window = DIR_INDEPENDENT, .is_between = true,    \
      .page = "litmus.md")

#define DIR_OWN(X)                                                                                 \
    X("scout", scout_engine, "all kinds of tests, and more of those that hit what is rare",        \
      .paper = "none: our own", .feedback = "what each test hit, its cycles", .page = "scout.md",  \
      .window = DIR_LATE_WINDOW, .lag = DIR_LAG, .operations = {64, 1 << 16},                      \
      .locations = {4, 512})

#define DIR_ENGINES(X)                                                                             \
    DIR_UNDIRECTED(X) DIR_CTG(X) DIR_MTG(X) DIR_LEARNING(X) DIR_ABSTRACT(X) DIR_CYCLES(X) DIR_OWN(X)
