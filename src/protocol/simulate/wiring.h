/* SPDX-License-Identifier: MIT */
/*
 * How a protocol becomes a system: how many controllers of each machine, how their caches look, how
 * long things take. What a design file does not say is inferred from the protocol: a machine with a
 * sequencer, or wired straight to one, is private to a core; one with directory memory is the
 * memory side; the rest are shared levels.
 */
#pragma once

#include "base/problem.h"
#include "collider/model.h"
#include "collider/protocol.h"

enum {
    SIM_MOST_MACHINES = 16,
    SIM_MOST_CACHES = 4,
    SIM_MOST_PARAMETERS = 64,
    SIM_MOST_BUFFERS = 24,
    SIM_NETWORKS = 16
};

typedef enum sim_topology { SIM_CROSSBAR, SIM_MESH } sim_topology;
/* What the caches hold when a program starts: nothing, or what is left of its blocks after core 0
 * wrote them all. */
typedef enum sim_start { SIM_COLD, SIM_WRITTEN } sim_start;

/* What a core may reorder: `simple` is the in-order requester, which promises coherence alone. */
typedef enum sim_mode { SIM_SIMPLE, SIM_SC, SIM_TSO, SIM_WEAK, SIM_MODE_COUNT } sim_mode;
extern const char *const sim_modes[SIM_MODE_COUNT + 1]; /* their names, ended by NULL */

/* The mechanisms by which a core keeps its promises. Without one of them it has a design error. */
#define SIM_MECHANISMS(X)                                                                          \
    X(SQUASH, "squash", "a load whose block is lost before it performs is replayed")               \
    X(FIFO, "fifo", "stores leave the store buffer in program order (sc, tso)")                    \
    X(FORWARD, "forward", "a load looks for its value in the stores that wait")                    \
    X(SAME_ADDRESS, "same-address", "accesses to one location perform in program order (weak)")    \
    X(FENCE, "fence", "fences order what is around them")                                          \
    X(ACQUIRE, "acquire", "what follows an acquire waits for it")                                  \
    X(RELEASE, "release", "a release waits for what is before it")                                 \
    X(DEPENDENCY, "dependency", "what depends on a read waits for it")                             \
    X(ATOMIC, "atomic", "a swap or add reads and writes in one step")

typedef enum sim_mechanism {
#define SIM_MECHANISM(name, word, text) SIM_##name,
    SIM_MECHANISMS(SIM_MECHANISM)
#undef SIM_MECHANISM
        SIM_MECHANISM_COUNT
} sim_mechanism;
extern const char *const sim_mechanisms[SIM_MECHANISM_COUNT + 1]; /* their words */

#define SIM_SKEW_OF_NETWORK UINT32_MAX /* as many cycles as its jitter */
#define SIM_AS_OTHERS UINT32_MAX       /* of a virtual network: what the network has */

/* How swaps and adds reach the caches: in one request, as a load-linked and a store-conditional, or
 * as two stores that keep the block locked in between. `any`: each way that the protocol takes, by
 * chance. */
typedef enum sim_way { SIM_ANY_WAY, SIM_SINGLE, SIM_LINKED, SIM_LOCKED, SIM_WAY_COUNT } sim_way;
extern const char *const sim_ways[SIM_WAY_COUNT + 1]; /* their words */
/* Those that the machine next to the core takes, a bit each. */
uint32_t sim_ways_of(const sl_machine *machine);

typedef struct sim_core_settings {
    sim_mode mode;
    uint32_t width;         /* operations that enter, and accesses that start, in a cycle */
    uint32_t window;        /* operations between the oldest that is not done and the youngest */
    uint32_t loads, stores; /* room in the queues; stores also after they left the window */
    uint32_t outstanding;   /* accesses under way in the caches */
    uint32_t jitter;        /* at most this many cycles before an operation starts, by chance */
    uint32_t skew;          /* at most this many cycles before the first, by the instance's seed, or
                               SIM_SKEW_OF_NETWORK */
    uint32_t without;       /* a set of mechanisms that are missing */
    sim_way atomics;
} sim_core_settings;

typedef struct sim_cache_shape {
    char name[48]; /* of the machine's cache */
    uint64_t bytes;
    uint32_t ways;
    sl_replacement replacement;
} sim_cache_shape;

/* A number by name: a parameter of a machine, or how many messages a buffer has room for. */
typedef struct sim_parameter {
    char name[48];
    int64_t value;
} sim_parameter;

/* What DMA engines write: parts of blocks too, or whole blocks alone. */
extern const char *const sim_transfers[3];

/* Where a machine is, if the design file says so. */
typedef enum sim_level {
    SIM_LEVEL_CORE,
    SIM_LEVEL_FETCH, /* next to a core too, for its instruction fetches alone */
    SIM_LEVEL_PRIVATE,
    SIM_LEVEL_SHARED,
    SIM_LEVEL_IO /* beside the cores: a DMA engine makes the requests of its sequencer */
} sim_level;

typedef struct sim_machine_wiring {
    bool is_private, has_sequencer, memory_side;
    bool has_dma;        /* a DMA engine is in front of each */
    bool whole_blocks;   /* which writes no parts of blocks */
    bool is_fetcher;     /* its sequencer makes instruction fetches alone */
    bool is_io;          /* the engine asks as a core does, by its sequencer */
    bool is_role;        /* in one of several roles of a machine of the protocol */
    uint32_t sequencers; /* of each controller: cores that it is private to, 1 or more */
    uint32_t downstream; /* the place of the machine that its requests go to, from 1; 0: none */
    uint32_t first;      /* its first controller's number among those of the same type */
    uint32_t count;
    uint32_t clusters;   /* each has count / clusters controllers, and serves some of the cores */
    uint32_t tbes;       /* of each; 0: as many as the design says for all */
    uint32_t index_skip; /* index bits that select the controller, above the block offset */
    sim_cache_shape caches[SIM_MOST_CACHES];
    uint32_t cache_count;
    sim_parameter parameters[SIM_MOST_PARAMETERS];
    uint32_t parameter_count;
    sim_parameter buffers[SIM_MOST_BUFFERS]; /* those with a limit */
    uint32_t buffer_count;
} sim_machine_wiring;

/* What one virtual network has for itself; SIM_AS_OTHERS: nothing. */
typedef struct sim_virtual_network {
    uint32_t latency, jitter;
} sim_virtual_network;

typedef struct sim_wiring {
    uint32_t cores;
    sim_core_settings core;
    col_model model; /* what the design promises; of simple cores: nothing */
    sim_machine_wiring machines[SIM_MOST_MACHINES]; /* as the protocol lists them */
    sim_topology topology;
    uint32_t network_latency; /* of a message; of a hop in a mesh */
    uint32_t jitter;          /* at most this many cycles more, by the instance's seed */
    sim_virtual_network virtual_networks[SIM_NETWORKS];
    uint32_t ordered;         /* virtual networks that keep order, a set */
    uint32_t unordered;       /* those that do not, though the protocol says so */
    uint32_t interval;        /* cycles between messages of a controller; 0: no limit */
    uint32_t network_buffers; /* room at both ends of a way through the network; 0: no limit */
    uint32_t memory_latency;
    uint32_t tbes;
    uint32_t transitions_per_cycle;
    uint32_t deadlock_cycles; /* without progress */
    uint32_t patience; /* cycles that one access may take while others are served; 0: by default */
    sim_start start;
    bool monitors; /* by default those of protocols that are not built in */
} sim_wiring;

/* Everything inferred or by default, for this many cores. */
col_status sim_wiring_infer(sim_wiring *wiring, const sl_protocol *protocol, uint32_t cores,
                            col_problem *problem);

/* The longest latency and the largest jitter of all virtual networks. */
sim_virtual_network sim_wiring_slowest(const sim_wiring *wiring);

/* The patience that the design says, or by default: eight times as long as it takes to serve all
 * accesses that the cores can have under way, one after the other, each by four messages and
 * memory, but at least 50,000 cycles. */
uint64_t sim_wiring_patience(const sim_wiring *wiring);
/* Cores start within this many cycles of each other. */
uint32_t sim_wiring_skew(const sim_wiring *wiring);

/* Do cores of the mode keep the model? Simple ones keep none. */
bool sim_mode_keeps(sim_mode mode, col_model model);
/* The strongest one that they keep, or of equals the first. */
col_model sim_mode_model(sim_mode mode);

/* Of a machine next to a core: the queue that its requests come from, and one for prefetches; NULL:
 * there is none. */
const sl_member *sim_request_queue(const sl_machine *machine);
const sl_member *sim_prefetch_queue(const sl_machine *machine);

/* Has the system DMA engines? */
bool sim_wiring_has_dma(const sim_wiring *wiring);

/* The place of the machine of that name; machine_count: there is none. */
uint32_t sim_machine_named(const sl_protocol *protocol, const char *name);
uint32_t sim_count_members(const sl_machine *machine, uint32_t kind);
/* 0: next to the core, 1: private, 2: shared, 3: in front of memory. */
uint32_t sim_wiring_level(const sim_machine_wiring *machine);

/* How many bits tell the controllers of a machine apart; 0 if there is no such machine. */
uint32_t sim_wiring_bits(const sim_wiring *wiring, const sl_protocol *protocol,
                         const char *machine);

/* The most messages that one transition may put into the buffer at this offset. */
uint32_t sim_most_slots(const sl_machine *machine, uint32_t offset);

/* How many bits tell this many apart. */
uint32_t sim_bits_of(uint32_t count);

/* The machine's cache of that name, added if it is not there; NULL if there are too many. */
sim_cache_shape *sim_wiring_cache(sim_machine_wiring *machine, const char *name);
void sim_wiring_parameter(sim_machine_wiring *machine, const char *name, int64_t value);
void sim_wiring_buffer(sim_machine_wiring *machine, const char *name, uint32_t messages);
