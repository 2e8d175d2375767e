/* SPDX-License-Identifier: MIT */
/* The cores at the ports of a memory system, cycle by cycle: see collider/agent.h. */
#include "design/agent/agent.h"

#include "base/memory.h"
#include "base/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PORTS = 1024, MOST_WINDOW = 256 };
#define NONE UINT32_MAX

const char *const col_agent_cores[COL_AGENT_CORES + 1] = {
    [COL_AGENT_SC] = "sc", [COL_AGENT_TSO] = "tso", [COL_AGENT_WEAK] = "weak"};

static const col_operation *at(const col_agents *a, uint32_t operation) {
    return &a->program->operations[operation];
}

static const col_kind_traits *traits_of(const col_agents *a, uint32_t operation) {
    return &col_kinds[at(a, operation)->kind];
}

/* ---- Making them. */

void col_agent_default(col_agent_settings *settings) {
    *settings = (col_agent_settings){.ports = 2,
                                     .core = COL_AGENT_SC,
                                     .window = 8,
                                     .block = 64,
                                     .stalls = 10,
                                     .skew = 32,
                                     .patience = 10000};
}

static col_status check(const col_agent_settings *s, col_problem *problem) {
    if (s->ports == 0 || s->ports > MOST_PORTS)
        return base_refuse(problem, "there are 1 to %d ports, not %u", MOST_PORTS, s->ports);
    if (s->window == 0 || s->window > MOST_WINDOW)
        return base_refuse(problem, "the window of a core is 1 to %d operations, not %u",
                           MOST_WINDOW, s->window);
    if (s->block == 0 || (s->block & (s->block - 1)) != 0)
        return base_refuse(problem, "a block has a power of two of bytes, not %u", s->block);
    if (s->is_current && !s->tells_commits)
        return base_refuse(problem, "whether loads return current values is known only if ports "
                                    "tell of commits");
    if (s->merges && !s->tells_commits)
        return base_refuse(problem, "that ports merge stores matters only if they tell of commits");
    if (s->stalls >= 100)
        return base_refuse(problem, "fewer than a hundred of a hundred chances are let pass");
    return COL_OK;
}

col_status col_agents_new(col_agents **agents, const col_agent_settings *settings,
                          col_problem *problem) {
    *agents = NULL;
    BASE_TRY(check(settings, problem));
    col_agents *a = NULL;
    BASE_TRY(base_new(&a, 1, sizeof *a, problem));
    a->settings = *settings;
    if (settings->core == COL_AGENT_SC && !settings->tells_commits)
        a->settings.window = 1; /* else stores may wait in it until they are committed */
    a->cores = calloc(settings->ports, sizeof *a->cores);
    a->slots = calloc((size_t)settings->ports * a->settings.window, sizeof *a->slots);
    if (a->cores == NULL || a->slots == NULL) {
        col_agents_free(a);
        return base_out_of_memory(problem);
    }
    for (uint32_t p = 0; p < settings->ports; p++)
        a->cores[p].slots = a->slots + (size_t)p * a->settings.window;
    *agents = a;
    return COL_OK;
}

void col_agents_free(col_agents *a) {
    if (a == NULL)
        return;
    free(a->cores);
    free(a->slots);
    agt_words_free(&a->words);
    free(a);
}

col_status col_agents_load(col_agents *a, const col_program *program, col_problem *problem) {
    if (program->thread_count > a->settings.ports)
        return base_refuse(problem, "the program has %u threads, the memory system %u ports",
                           program->thread_count, a->settings.ports);
    a->program = program;
    return a->settings.is_current ? agt_words_clear(&a->words, program->location_count, problem)
                                  : COL_OK;
}

/* ---- Telling. */

static void tell(const col_agents *a, const col_event *event) {
    if (a->observer != NULL && (a->observer->kinds >> event->kind & 1) != 0)
        a->observer->notice(a->observer->context, event);
}

static void tell_read(const col_agents *a, uint32_t port, uint32_t operation, uint64_t word,
                      bool from_own) {
    tell(a,
         &(col_event){.kind = a->settings.tells_commits ? COL_LOAD_PERFORMED : COL_VALUE_RETURNED,
                      .cycle = a->cycle,
                      .core = port,
                      .operation = operation,
                      .word = word,
                      .source = from_own ? COL_FROM_STORE_BUFFER : COL_FROM_UNKNOWN});
}

/* What is in memory once the write has performed. */
static uint64_t written(const col_agents *a, uint32_t operation, const agt_slot *slot) {
    const col_operation *o = at(a, operation);
    return (o->kind == COL_ADD ? slot->replaced : 0) + col_program_operand(a->program, o);
}

/* An atomic, once its answer is there; or any write, once it has performed. */
static void tell_write(const col_agents *a, uint32_t port, uint32_t operation,
                       const agt_slot *slot) {
    const col_operation *o = at(a, operation);
    if (!a->settings.tells_commits) {
        if (col_kinds[o->kind].reads)
            tell_read(a, port, operation, slot->word, false);
        return;
    }
    tell(a, &(col_event){.kind = COL_STORE_PERFORMED,
                         .cycle = a->cycle,
                         .core = port,
                         .operation = operation,
                         .word = written(a, operation, slot),
                         .overwritten = slot->replaced,
                         .read = col_kinds[o->kind].reads ? slot->word : slot->replaced});
}

/* What happens to an operation before it performs, for the story of a failure. */
static void tell_way(const col_agents *a, uint32_t port, uint32_t operation, col_event_kind kind,
                     uint32_t after) {
    if (a->observer == NULL || (a->observer->kinds >> kind & 1) == 0 ||
        !col_kinds[at(a, operation)->kind].located)
        return;
    tell(a, &(col_event){.kind = kind,
                         .cycle = a->cycle,
                         .core = port,
                         .operation = operation,
                         .word = agt_slot_of(a, &a->cores[port], operation)->word,
                         .block = a->program->addresses[at(a, operation)->location] &
                                  ~((uint64_t)a->settings.block - 1),
                         .after = after});
}

/* Where each operation goes. */
static void tell_places(const col_agents *a) {
    if (a->observer == NULL || (a->observer->kinds >> COL_PLACED & 1) == 0)
        return;
    for (uint32_t p = 0; p < a->program->thread_count; p++)
        for (uint32_t o = a->program->thread_start[p]; o < a->program->thread_start[p + 1]; o++)
            if (col_kinds[at(a, o)->kind].located)
                tell(a, &(col_event){.kind = COL_PLACED,
                                     .core = p,
                                     .operation = o,
                                     .block = a->settings.base +
                                              a->program->addresses[at(a, o)->location]});
}

static void find_trouble(col_agents *a, uint32_t port, const char *what, uint32_t tag) {
    if (a->trouble[0] == '\0')
        (void)snprintf(a->trouble, sizeof a->trouble, "port %u %s (tag %u, cycle %llu)", port, what,
                       tag, (unsigned long long)a->cycle);
}

/* ---- An instance. */

static void draw_chance(col_agents *a, bool *stalls, uint32_t *left) {
    if (*left == 0) {
        *stalls = base_rng_below(&a->rng, 100) < a->settings.stalls;
        *left =
            1 + (uint32_t)base_rng_below(&a->rng, UINT64_C(1) << base_rng_below(&a->rng, a->burst));
    }
    (*left)--;
}

static void draw_chances(col_agents *a) {
    for (uint32_t p = 0; p < a->settings.ports; p++) {
        draw_chance(a, &a->cores[p].is_quiet, &a->cores[p].quiet_left);
        draw_chance(a, &a->cores[p].is_deaf, &a->cores[p].deaf_left);
    }
}

/* In some instances stalls last a cycle, in others now a cycle and now dozens of them: some errors
 * show only if a long stall begins or ends at the right moment. */
static uint32_t draw_burst(col_agents *a) {
    static const uint32_t usual[] = {1, 1, 3, 5, 7};
    return usual[base_rng_below(&a->rng, sizeof usual / sizeof usual[0])];
}

static void fetch(col_agents *a, agt_core *core) {
    while (core->next < core->end && core->next - core->first < a->settings.window)
        *agt_slot_of(a, core, core->next++) = (agt_slot){.state = AGT_WAITING};
}

void col_agents_begin(col_agents *a, uint64_t seed, const col_observer *observer) {
    base_rng_seed(&a->rng, seed, 0);
    a->observer = observer;
    a->burst = draw_burst(a);
    a->cycle = a->performed = a->last_answer = 0;
    a->is_stuck = false;
    a->trouble[0] = '\0';
    for (uint32_t p = 0; p < a->settings.ports; p++) {
        agt_core *core = &a->cores[p];
        const bool has_thread = p < a->program->thread_count;
        core->first = core->next = has_thread ? a->program->thread_start[p] : 0;
        core->end = has_thread ? a->program->thread_start[p + 1] : 0;
        core->resumes = base_rng_below(&a->rng, (uint64_t)a->settings.skew + 1);
        core->quiet_left = core->deaf_left = 0;
        base_rng_seed(&core->choices, seed, 1 + (uint64_t)p);
        core->answer.is_new = false;
        fetch(a, core);
    }
    draw_chances(a);
    tell_places(a);
    if (a->settings.is_current) /* there is room: the program was loaded */
        (void)agt_words_clear(&a->words, a->program->location_count, NULL);
}

/* Done operations leave the window. */
static void retire(col_agents *a, agt_core *core) {
    while (core->first < core->next && agt_slot_of(a, core, core->first)->state == AGT_DONE)
        core->first++;
    fetch(a, core);
}

static void finish(col_agents *a, uint32_t port, uint32_t operation) {
    agt_slot *slot = agt_slot_of(a, &a->cores[port], operation);
    const col_kind_traits *traits = traits_of(a, operation);
    slot->state = AGT_DONE;
    a->performed += traits->reads || traits->writes;
}

/* Loads that ran ahead count once all reads before them do. */
static void settle(col_agents *a, uint32_t port) {
    agt_core *core = &a->cores[port];
    for (uint32_t o = core->first; o < core->next; o++) {
        agt_slot *slot = agt_slot_of(a, core, o);
        if (slot->state != AGT_ANSWERED || agt_is_ahead(a, core, o))
            continue;
        tell_read(a, port, o, slot->word, false);
        finish(a, port, o);
    }
    retire(a, core);
}

/* ---- Asking. */

/* What needs nobody: delays, fences and flushes that are not passed on. True: it was done. */
static bool do_alone(col_agents *a, uint32_t port, uint32_t operation) {
    agt_core *core = &a->cores[port];
    const col_operation *o = at(a, operation);
    const uint32_t supplier = agt_supplier(a, core, operation);
    if (o->kind == COL_DELAY) {
        core->resumes = a->cycle + o->location;
        finish(a, port, operation);
        return true;
    }
    if ((o->kind == COL_FENCE && !a->settings.takes_fences) ||
        (o->kind == COL_FLUSH && !a->settings.takes_flushes)) {
        finish(a, port, operation);
        return true;
    }
    if (supplier == NONE)
        return false;
    tell_read(a, port, operation, col_program_operand(a->program, at(a, supplier)), true);
    finish(a, port, operation);
    return true;
}

/* The operation to ask for next: the first that may, or, of a weak core, any. */
static uint32_t choose(col_agents *a, uint32_t port) {
    agt_core *core = &a->cores[port];
    uint32_t chosen = NONE, count = 0;
    for (uint32_t o = core->first; o < core->next; o++) {
        if (agt_slot_of(a, core, o)->state != AGT_WAITING || !agt_may_ask(a, core, o))
            continue;
        if (a->settings.core != COL_AGENT_WEAK)
            return o;
        if (base_rng_below(&core->choices, ++count) == 0)
            chosen = o;
    }
    return chosen;
}

static uint32_t find_offered(const col_agents *a, const agt_core *core) {
    for (uint32_t o = core->first; o < core->next; o++)
        if (agt_slot_of(a, core, o)->state == AGT_OFFERED)
            return o;
    return NONE;
}

static col_port_operation asked_by(const col_operation *o) {
    static const col_port_operation operations[COL_KIND_COUNT] = {
        [COL_LOAD] = COL_PORT_LOAD,  [COL_AWAIT] = COL_PORT_LOAD, [COL_STORE] = COL_PORT_STORE,
        [COL_SWAP] = COL_PORT_SWAP,  [COL_ADD] = COL_PORT_ADD,    [COL_FENCE] = COL_PORT_FENCE,
        [COL_FLUSH] = COL_PORT_FLUSH};
    return operations[o->kind];
}

bool col_agents_offer(col_agents *a, uint32_t port, col_port_request *request) {
    agt_core *core = &a->cores[port];
    uint32_t operation = find_offered(a, core);
    while (operation == NONE && !core->is_quiet && core->resumes <= a->cycle) {
        operation = choose(a, port);
        if (operation == NONE || !do_alone(a, port, operation))
            break;
        retire(a, core);
        operation = NONE;
    }
    if (operation == NONE)
        return false;
    agt_slot *slot = agt_slot_of(a, core, operation);
    if (slot->state != AGT_OFFERED)
        slot->since = a->cycle;
    slot->state = AGT_OFFERED;
    const col_operation *o = at(a, operation);
    const uint64_t operand =
        traits_of(a, operation)->writes ? col_program_operand(a->program, o) : 0;
    *request =
        (col_port_request){.operation = asked_by(o),
                           .tag = operation % a->settings.window,
                           .address = col_kinds[o->kind].located
                                          ? a->settings.base + a->program->addresses[o->location]
                                          : a->settings.base,
                           .data = col_program_to_memory(a->program, operand),
                           .bytes = col_program_word_bytes(a->program),
                           .fence = o->fence};
    return true;
}

bool col_agents_takes(const col_agents *a, uint32_t port) {
    return !a->cores[port].is_deaf;
}

void col_agents_accept(col_agents *a, uint32_t port) {
    agt_core *core = &a->cores[port];
    const uint32_t operation = find_offered(a, core);
    if (operation == NONE) {
        find_trouble(a, port, "accepted a request that nobody made", 0);
        return;
    }
    agt_slot *slot = agt_slot_of(a, core, operation);
    slot->state = AGT_ASKED;
    slot->since = a->cycle;
    slot->is_lost = false;
    tell_way(a, port, operation, COL_OPERATION_ISSUED, operation);
}

/* ---- Answers. */

static uint32_t find_asked(col_agents *a, uint32_t port, uint32_t tag, const char *what) {
    const agt_core *core = &a->cores[port];
    for (uint32_t o = core->first; o < core->next; o++)
        if (o % a->settings.window == tag && agt_slot_of(a, core, o)->state == AGT_ASKED)
            return o;
    find_trouble(a, port, what, tag);
    return NONE;
}

/* A write is over when it was answered and, where that is reported, has performed. */
static void finish_write(col_agents *a, uint32_t port, uint32_t operation) {
    const agt_slot *slot = agt_slot_of(a, &a->cores[port], operation);
    if (!slot->is_answered || (a->settings.tells_commits && !slot->is_committed))
        return;
    finish(a, port, operation);
}

/* What has to perform before the load that ran ahead; itself: it is not known. */
static uint32_t first_unread(const col_agents *a, const agt_core *core, uint32_t load) {
    for (uint32_t o = core->first; o < load; o++)
        if (traits_of(a, o)->reads && agt_slot_of(a, core, o)->state != AGT_DONE)
            return o;
    return load;
}

static void answer_load(col_agents *a, uint32_t port, uint32_t operation, agt_slot *slot) {
    const agt_core *core = &a->cores[port];
    const col_operation *o = at(a, operation);
    const bool is_ahead = agt_is_ahead(a, core, operation);
    agt_current_answer(a, port, operation, slot);
    if (slot->is_lost || (o->kind == COL_AWAIT && slot->word != o->value)) {
        slot->state = AGT_WAITING;
        if (slot->is_lost)
            tell_way(a, port, operation, COL_LOAD_SQUASHED, operation);
        return;
    }
    slot->state = AGT_ANSWERED;
    tell_way(a, port, operation, COL_LOAD_BOUND,
             is_ahead ? first_unread(a, core, operation) : operation);
    if (is_ahead)
        return;
    tell_read(a, port, operation, slot->word, false);
    finish(a, port, operation);
}

void col_agents_answer(col_agents *a, uint32_t port, uint32_t tag, uint64_t data) {
    const uint32_t operation =
        find_asked(a, port, tag, "answered a request that was not under way");
    if (operation == NONE)
        return;
    agt_slot *slot = agt_slot_of(a, &a->cores[port], operation);
    const col_kind_traits *traits = traits_of(a, operation);
    slot->word = col_program_from_memory(a->program, data);
    slot->is_answered = true;
    a->last_answer = a->cycle;
    if (traits->reads && !traits->writes) {
        answer_load(a, port, operation, slot);
    } else if (traits->writes) {
        if (!a->settings.tells_commits || (traits->reads && slot->is_committed))
            tell_write(a, port, operation, slot);
        finish_write(a, port, operation);
    } else {
        finish(a, port, operation);
    }
    settle(a, port);
}

/* Stores of the word that were asked for before this one and have not committed never will: it has
 * replaced them. */
static void merge(col_agents *a, uint32_t port, uint32_t last) {
    const agt_core *core = &a->cores[port];
    for (uint32_t o = core->first; o < last; o++) {
        agt_slot *slot = agt_slot_of(a, core, o);
        if (at(a, o)->kind != COL_STORE || at(a, o)->location != at(a, last)->location ||
            slot->state != AGT_ASKED || slot->is_committed)
            continue;
        slot->is_committed = true;
        tell(a, &(col_event){
                    .kind = COL_STORE_MERGED, .cycle = a->cycle, .core = port, .operation = o});
        finish_write(a, port, o);
    }
}

void col_agents_commit(col_agents *a, uint32_t port, uint32_t tag, uint64_t replaced) {
    const uint32_t operation = find_asked(a, port, tag, "committed a write that was not under way");
    if (operation == NONE)
        return;
    agt_slot *slot = agt_slot_of(a, &a->cores[port], operation);
    if (!traits_of(a, operation)->writes || slot->is_committed) {
        find_trouble(a, port, "committed what is no write, or has committed", tag);
        return;
    }
    if (a->settings.merges && at(a, operation)->kind == COL_STORE)
        merge(a, port, operation);
    slot->replaced = col_program_from_memory(a->program, replaced);
    slot->is_committed = true;
    if (a->settings.is_current)
        agt_words_write(&a->words, at(a, operation)->location, written(a, operation, slot),
                        a->cycle);
    if (!traits_of(a, operation)->reads || slot->is_answered)
        tell_write(a, port, operation, slot);
    finish_write(a, port, operation);
    settle(a, port);
}

void col_agents_lose(col_agents *a, uint32_t port, uint64_t address) {
    const agt_core *core = &a->cores[port];
    const uint64_t mask = ~((uint64_t)a->settings.block - 1);
    tell(a, &(col_event){.kind = COL_EVICTION,
                         .cycle = a->cycle,
                         .core = port,
                         .block = (address & mask) - a->settings.base});
    for (uint32_t o = core->first; o < core->next; o++) {
        agt_slot *slot = agt_slot_of(a, core, o);
        if (!col_kinds[at(a, o)->kind].located ||
            ((a->settings.base + a->program->addresses[at(a, o)->location]) & mask) !=
                (address & mask))
            continue;
        if (slot->state == AGT_ANSWERED) {
            slot->state = AGT_WAITING;
            tell_way(a, port, o, COL_LOAD_SQUASHED, o);
        } else if (slot->state == AGT_ASKED && agt_is_ahead(a, core, o))
            slot->is_lost = true;
    }
}

/* ---- The end of a cycle, and how it stands. */

/* The operation that has waited longest. */
static void find_stuck(col_agents *a) {
    uint32_t oldest = NONE, port = 0;
    uint64_t since = UINT64_MAX;
    for (uint32_t p = 0; p < a->settings.ports; p++)
        for (uint32_t o = a->cores[p].first; o < a->cores[p].next; o++) {
            const agt_slot *slot = agt_slot_of(a, &a->cores[p], o);
            if ((slot->state == AGT_ASKED || slot->state == AGT_OFFERED) && slot->since < since) {
                since = slot->since;
                oldest = o;
                port = p;
            }
        }
    a->is_stuck = true;
    agt_tell_waits(a);
    if (oldest == NONE) {
        (void)snprintf(a->trouble, sizeof a->trouble,
                       "nothing was answered for %llu cycles, and nothing is asked",
                       (unsigned long long)a->settings.patience);
        return;
    }
    (void)snprintf(a->trouble, sizeof a->trouble,
                   "nothing was answered for %llu cycles: port %u waits for operation %u of its "
                   "thread (%s a%u) since cycle %llu",
                   (unsigned long long)a->settings.patience, port,
                   oldest - a->program->thread_start[port], traits_of(a, oldest)->name,
                   at(a, oldest)->location, (unsigned long long)since);
}

void col_agents_end_cycle(col_agents *a) {
    agt_current_judge(a);
    a->cycle++;
    for (uint32_t p = 0; p < a->settings.ports; p++) /* who only waits for a delay is not stuck */
        if (a->cores[p].resumes >= a->cycle && a->cores[p].first < a->cores[p].end)
            a->last_answer = a->cycle;
    if (a->settings.patience > 0 && a->trouble[0] == '\0' && !col_agents_are_done(a) &&
        a->cycle - a->last_answer > a->settings.patience)
        find_stuck(a);
    draw_chances(a);
}

bool col_agents_are_done(const col_agents *a) {
    for (uint32_t p = 0; p < a->settings.ports; p++)
        if (a->cores[p].first < a->cores[p].end)
            return false;
    return true;
}

uint64_t col_agents_performed(const col_agents *a) {
    return a->performed;
}

const char *col_agents_trouble(const col_agents *a) {
    return a->trouble[0] == '\0' ? NULL : a->trouble;
}

bool col_agents_are_stuck(const col_agents *a) {
    return a->is_stuck;
}

/* Random inputs of a memory system, cycle by cycle. */

static uint64_t below(col_port_input *input, uint64_t bound) {
    const uint64_t drawn = base_splitmix(&input->random);
    return bound == 0 ? drawn : drawn % bound;
}

void col_port_input_begin(col_port_input *input, uint64_t seed, uint32_t number) {
    /* In some instances values last a cycle, in others now a cycle and now dozens of them: some
     * errors show only if a long stall begins or ends at the right moment. */
    static const uint32_t usual[] = {1, 1, 3, 5, 7};
    input->random = seed + number;
    input->random = base_splitmix(&input->random);
    input->lengths = usual[below(input, sizeof usual / sizeof usual[0])];
    input->left = 0;
    input->value = input->low;
}

uint64_t col_port_input_next(col_port_input *input) {
    if (input->left > 0) {
        input->left--;
        return input->value;
    }
    input->left = below(input, UINT64_C(1) << below(input, input->lengths));
    input->value = input->low;
    if (below(input, 100) < input->percent)
        input->value += below(input, input->high - input->low + 1);
    return input->value;
}

/* What words hold. */

enum { PAST = 8 };

typedef struct past_word {
    uint64_t word, until; /* the cycle in which it was replaced */
} past_word;

struct agt_word {
    uint64_t now;
    uint32_t replaced; /* how often it was replaced */
    past_word past[PAST];
};

col_status agt_words_clear(agt_words *words, uint32_t locations, col_problem *problem) {
    const col_status status = base_reserve(&words->words, &words->capacity, (size_t)locations + 1,
                                           sizeof *words->words, problem);
    if (status == COL_OK)
        memset(words->words, 0, locations * sizeof *words->words);
    return status;
}

void agt_words_free(agt_words *words) {
    free(words->words);
    *words = (agt_words){0};
}

void agt_words_write(agt_words *words, uint32_t location, uint64_t word, uint64_t cycle) {
    agt_word *w = &words->words[location];
    w->past[w->replaced % PAST] = (past_word){.word = w->now, .until = cycle};
    w->replaced++;
    w->now = word;
}

bool agt_words_held(const agt_words *words, uint32_t location, uint64_t word, uint64_t since) {
    const agt_word *w = &words->words[location];
    if (w->now == word)
        return true;
    for (uint32_t i = 1; i <= w->replaced; i++) {
        const past_word *past = &w->past[(w->replaced - i) % PAST];
        if (i > PAST) /* it was replaced more often than we remember */
            return true;
        if (past->until < since)
            return false;
        if (past->word == word)
            return true;
    }
    return false;
}
