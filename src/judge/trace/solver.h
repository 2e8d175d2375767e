/* SPDX-License-Identifier: MIT */
/*
 * Judging a trace whose coherence order is not known: a search for a memory order, one sequence of
 * all nodes that keeps every edge of the axioms. src/judge/trace/README.md tells why it is exact.
 *
 * A *word* is what a write leaves: number `operation`, or operation_count + location for what a
 * location holds before any write. A *segment* is a word and the writes that are known to follow
 * it, each replacing the one before: atomics replace what they read, and a trace may say it of
 * others. Nothing comes between those in coherence order, so only whole segments are ordered.
 */
#pragma once

#include "base/memory.h"
#include "judge/preserved_order.h"

typedef enum chk_node_state {
    CHK_QUEUED,   /* to be examined */
    CHK_WATCHING, /* in the list of a node that must come first */
    CHK_PARKED,   /* in a segment, until the word that it replaces has been read */
    CHK_READY,    /* the first of a segment that waits for its location */
    CHK_SCHEDULED
} chk_node_state;

typedef struct chk_node {
    uint32_t position; /* in the schedule; CHK_NONE: not yet */
    uint32_t watchers; /* first of the nodes that wait for this one */
    uint32_t link;     /* next in the list that this one is in */
    uint32_t state;    /* chk_node_state */
    uint32_t mark;     /* the last search that reached it */
    uint32_t parent;   /* from where; CHK_NONE: the search began here */
} chk_node;

typedef struct chk_segment {
    uint32_t first, last; /* words */
    uint32_t location;
    uint32_t left;         /* its writes and its reads that are not scheduled */
    uint32_t earlier;      /* of a scheduled segment: the one before it */
    uint32_t edge;         /* first of chk_solver.edges that end here */
    uint32_t variable;     /* first of chk_solver.variables that end or begin here, + side */
    uint32_t deferred_for; /* a node that looking back has found; CHK_NONE: it has not */
    uint32_t deferred_at;  /* nodes that were scheduled then */
    uint32_t approved_at;  /* may begin when it is free; as of that number of retreats */
    bool is_final;         /* all others of the location come before it */
    bool is_unread;        /* a single write, and nobody reads it */
} chk_segment;

/* A segment that must come before another one. */
typedef struct chk_segment_edge {
    uint32_t before, next;
    uint32_t reason; /* the access that shows it */
} chk_segment_edge;

/* Two segments that a learned clause speaks of: segments[0] comes first, if `value`. */
typedef struct chk_variable {
    uint32_t segments[2];
    uint32_t next[2]; /* of that segment: variable * 2 + side */
    bool value;
    bool assumed;
    int number; /* for the SAT solver; 0: it does not ask for it */
} chk_variable;

/* A node that another one waits for. `assumed` is the segment that is assumed to come before. */
typedef struct chk_wait {
    uint32_t node;
    uint32_t relation; /* col_relation */
    uint32_t assumed;  /* CHK_NONE: unconditional */
    uint32_t reason;   /* of the edge that says so */
} chk_wait;

typedef struct chk_literal {
    uint32_t before, after; /* segments */
} chk_literal;

/* Locations, first come, first served; the last one's link is itself. */
typedef struct chk_queue {
    uint32_t *link, first, last;
} chk_queue;

/* One edge of a cycle, and the assumptions that it rests on. */
typedef struct chk_link {
    uint32_t from, to; /* nodes */
    uint32_t relation, reason;
    uint32_t literal, literal_count;
} chk_link;

/* What is wrong before any search. */
typedef enum chk_fault_kind {
    CHK_NO_FAULT,
    CHK_NEVER_STORED,    /* a value that nothing stores was read or replaced: operation, the same */
    CHK_NEVER_FINAL,     /* a location ends with such a value: location, the same */
    CHK_NOT_ATOMIC,      /* an atomic replaced another word than it read: atomic, the same */
    CHK_READS_LATER,     /* a read of a later write of its thread: read, write */
    CHK_TWICE_FOLLOWED,  /* two writes replaced one word: write, write */
    CHK_CIRCLE,          /* writes that replaced each other's words in a circle: one of them */
    CHK_AGAINST_SEGMENT, /* two accesses of a thread against the order in a segment: earlier, later
                          */
    CHK_FOLLOWED_FINAL   /* the last write is followed by an atomic, or should not exist: write */
} chk_fault_kind;

typedef struct chk_fault {
    chk_fault_kind kind;
    uint32_t first, second; /* operations */
} chk_fault;

typedef struct chk_solver {
    const col_trace *trace;
    const col_operation *operations; /* those of the trace; for the unfinished see build */
    col_operation *finished;         /* if there are such */
    col_status status;               /* the first problem stays: what follows makes no sense */
    col_problem *problem;
    chk_order order;
    uint32_t operation_count, location_count;
    double deadline;          /* on the monotonic clock; 0: none */
    const volatile int *stop; /* not 0: as if it had passed; may be NULL */
    base_arena arena;
    size_t arena_bytes;
    chk_fault fault;
    bool has_cycle; /* a cycle is known */
    bool stale;     /* a segment was deferred for what is no longer so */

    /* By word. */
    uint32_t *reader_start, *readers; /* operations */
    uint32_t *unread;                 /* reads that are not scheduled */
    uint32_t *follower;               /* the write that is known to replace it */
    uint32_t *segment_of, *rank;      /* place in the segment */

    uint32_t *segment_start; /* by location; the first one is that of the initial word */
    chk_segment *segments;
    uint32_t segment_count;
    chk_segment_edge *edges;
    size_t edge_count, edge_capacity;

    /* The schedule. */
    chk_node *nodes;
    uint32_t *schedule, scheduled_count;
    uint32_t queue;          /* nodes to examine */
    uint32_t *current;       /* by location: the segment */
    uint32_t *ready;         /* by location: first nodes of segments */
    uint32_t *segments_left; /* by location */
    chk_queue choices;       /* locations to choose at */
    chk_queue doubts;        /* those where every choice may be wrong */
    uint32_t *deferred;      /* segments, in the order in which they were deferred */
    size_t deferred_count, deferred_capacity;
    uint32_t retreats;

    /* Looking back. */
    uint32_t epoch;  /* the search under way */
    uint32_t *stack; /* nodes: a search meets each once */
    chk_wait *waits;
    size_t wait_count, wait_capacity;
    uint32_t *group_mark; /* by location */
    uint32_t *group;      /* segments: one for each location at most */
    size_t group_count;
    uint32_t *found; /* nodes */
    size_t found_count;
    uint32_t *later; /* pairs: a node behind an assumption, and what waits for it */
    size_t later_count, later_capacity;

    /* Conflicts. */
    uint32_t *walked; /* by node: one more than its place in the walk; 0: not in it */
    chk_link *links;  /* one for each node at most */
    size_t link_count;
    chk_literal *literals;
    size_t literal_count, literal_capacity;
    chk_variable *variables;
    size_t variable_count, variable_capacity;
    chk_literal *clauses; /* one after the other */
    size_t clause_literals, clause_capacity;
    uint32_t *clause_start;
    size_t clause_count, clause_start_capacity;
    uint32_t furthest; /* the longest schedule so far */
    size_t window;     /* clauses to keep in mind */
    uint32_t *asked;   /* variables of those */
    size_t asked_count, asked_capacity;
    uint64_t conflict_count, visit_count; /* of nodes by searches */
} chk_solver;

void chk_solver_free(chk_solver *s);
size_t chk_solver_bytes(const chk_solver *s);

/* `before` comes before `after` in coherence order. */
void chk_solver_add_edge(chk_solver *s, uint32_t before, uint32_t after, uint32_t reason);

/* Has the deadline passed, or a stop come? */
bool chk_solver_is_late(const chk_solver *s);

/* Schedule all that can be, or as much as the deadline lets be: then `*expired` is set. */
void chk_solver_advance(chk_solver *s, bool *expired);
void chk_solver_retreat(chk_solver *s, uint32_t count);
void chk_solver_wake(chk_solver *s, uint32_t node);
void chk_solver_resume(chk_solver *s, uint32_t segment); /* it is not deferred any more */

/* All nodes that `node` waits for, into s->waits. */
void chk_solver_waits(chk_solver *s, uint32_t node);

/* Node and what waits for it go to s->later. */
void chk_solver_put_off(chk_solver *s, uint32_t node, uint32_t after);

/* Writes to the segment's location that come before one of its reads or writes, so before it: into
 * s->found, each with a path of s->parent to there. Assumptions are made only if there are none
 * without: then it returns true. */
bool chk_solver_look_back(chk_solver *s, uint32_t segment);

/* Is there a set of nodes with this segment that can all be scheduled now and then holds nothing
 * back: with each segment all its reads, and no two segments of a location? Then the segments are
 * in s->group. */
bool chk_solver_close(chk_solver *s, uint32_t segment);

/* Nothing can be scheduled: find a cycle in s->links, with the literals it rests on. There are none
 * if a segment was deferred for what is no longer so, and is resumed. */
void chk_solver_find_cycle(chk_solver *s);

/* The same for a segment that has just been deferred, while others can still go on; s->has_cycle
 * says whether there is a cycle. */
void chk_solver_check_deferred(chk_solver *s, uint32_t node);

/* Learn from that cycle. Sets *forbidden if nothing is left to try. */
void chk_solver_learn(chk_solver *s, bool *forbidden, bool *expired);

/* All of it but the explanation. Start from {.error = error}. */
col_status chk_solver_judge(chk_solver *s, const col_trace *trace,
                            const col_trace_settings *settings, col_verdict *verdict);

/* What is wrong, for people. */
col_status chk_solver_explain(chk_solver *s, col_violation *violation);

/* Is there room for `count` items? Mostly there is. */
static inline bool chk_grow(chk_solver *s, void *array, size_t *capacity, size_t count,
                            size_t item_size) {
    if (count > *capacity && s->status == COL_OK)
        s->status = base_reserve(array, capacity, count, item_size, s->problem);
    return count <= *capacity;
}

static inline bool chk_is_scheduled(const chk_solver *s, uint32_t node) {
    return s->nodes[node].position != CHK_NONE;
}

static inline bool chk_op_reads(const chk_solver *s, uint32_t operation) {
    return col_kinds[s->operations[operation].kind].reads;
}

static inline bool chk_op_writes(const chk_solver *s, uint32_t operation) {
    return col_kinds[s->operations[operation].kind].writes;
}

/* The word that a read took. */
static inline uint32_t chk_word_read(const chk_solver *s, uint32_t operation) {
    const uint32_t source = s->trace->source[operation];
    return source == COL_INITIAL ? s->operation_count + s->operations[operation].location : source;
}

/* The word that a write is known to have replaced; CHK_NONE: it is not known. */
static inline uint32_t chk_word_replaced(const chk_solver *s, uint32_t operation) {
    if (chk_op_reads(s, operation))
        return chk_word_read(s, operation);
    if (s->trace->replaced == NULL || s->trace->replaced[operation] == COL_NOT_SAID)
        return CHK_NONE;
    const uint32_t replaced = s->trace->replaced[operation];
    return replaced == COL_INITIAL ? s->operation_count + s->operations[operation].location
                                   : replaced;
}

static inline bool chk_is_own_word(const chk_solver *s, uint32_t word, uint32_t operation) {
    return word < s->operation_count && s->order.thread[word] == s->order.thread[operation];
}

/* The operation whose write the node is, or CHK_NONE. */
static inline uint32_t chk_written_by(const chk_solver *s, uint32_t node) {
    const uint32_t operation = chk_owner(&s->order, node);
    return chk_op_writes(s, operation) && chk_write_node(&s->order, operation) == node ? operation
                                                                                       : CHK_NONE;
}

/* Told of a node that must come first; true: it need not hear of more. */
typedef bool chk_tell(void *context, uint32_t before, col_relation relation);

/* What depends on a read of an own add's word depends on the add. */
static inline bool chk_tell_adds(const chk_solver *s, uint32_t read, chk_tell *tell,
                                 void *context) {
    if (!s->order.model->depends_through_adds)
        return false;
    uint32_t word = chk_word_read(s, read);
    while (chk_is_own_word(s, word, read) && s->operations[word].kind == COL_ADD) {
        if (tell(context, word, COL_DEPENDENT))
            return true;
        word = chk_word_read(s, word);
    }
    return false;
}

/* A read of an own write's word does not wait for the write, but for some of what it waits for. */
static inline bool chk_tell_own_source(const chk_solver *s, uint32_t read, uint32_t source,
                                       chk_tell *tell, void *context) {
    const chk_model *model = s->order.model;
    const col_operation *write = &s->operations[source];
    const bool is_atomic = chk_op_reads(s, source);
    if (model->reads_after_own_atomic && is_atomic &&
        tell(context, chk_write_node(&s->order, source), COL_ATOMIC))
        return true;
    if (model->acquires_after_own_atomic && is_atomic &&
        (s->operations[read].order & COL_ACQUIRE) != 0 && tell(context, source, COL_ATOMIC))
        return true;
    return model->dependencies &&
           (write->dependency == COL_ADDRESS || write->dependency == COL_DATA) &&
           (tell(context, source - write->distance, COL_DEPENDENT) ||
            chk_tell_adds(s, source - write->distance, tell, context));
}

/* What must come before a node by the order that the model keeps and by the source of a read, in
 * turn. True: told enough. */
static inline bool chk_each_kept(const chk_solver *s, uint32_t node, chk_tell *tell,
                                 void *context) {
    const chk_edges edges = s->order.edges[node];
    for (uint32_t i = edges.start; i < edges.start + edges.count; i++) {
        const uint32_t before = chk_edge_node(s->order.before[i]);
        const col_relation relation = chk_edge_relation(s->order.before[i]);
        if (tell(context, before, relation) ||
            (relation == COL_DEPENDENT && before < s->operation_count &&
             chk_tell_adds(s, before, tell, context)))
            return true;
    }
    if (node >= s->operation_count || !chk_op_reads(s, node))
        return false;
    const uint32_t source = chk_word_read(s, node);
    if (source >= s->operation_count)
        return false;
    return chk_is_own_word(s, source, node)
               ? chk_tell_own_source(s, node, source, tell, context)
               : tell(context, chk_write_node(&s->order, source), COL_READS_FROM);
}

/* The node that a segment begins with; CHK_NONE: the initial word. */
static inline uint32_t chk_first_node(const chk_solver *s, uint32_t segment) {
    const uint32_t word = s->segments[segment].first;
    return word < s->operation_count ? chk_write_node(&s->order, word) : CHK_NONE;
}

/* Has looking back from the segment found a write that is still to come? */
static inline bool chk_is_deferred(const chk_solver *s, uint32_t segment) {
    const uint32_t node = s->segments[segment].deferred_for;
    return node != CHK_NONE && !chk_is_scheduled(s, node);
}

static inline bool chk_has_begun(const chk_solver *s, uint32_t segment) {
    const uint32_t node = chk_first_node(s, segment);
    return node == CHK_NONE || chk_is_scheduled(s, node);
}

/* ---- Running out of memory inside the SAT solver. It is C++ and throws, which C cannot catch. */

/* Calls work(context). Returns false when C++ ran out of memory in it: the frames that it called
 * are unwound, their destructors run, and the rest of it is not done. Calls do not nest. */
bool chk_guard_memory(void (*work)(void *context), void *context);
