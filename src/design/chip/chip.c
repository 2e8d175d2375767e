/* SPDX-License-Identifier: MIT */
/*
 * A chip that runs images: see collider/chip.h. A start is one run of an image from reset to its
 * exit. It has one round unless the settings want more, so that an instance follows from the
 * program and the seed; with more, a start that did not end well is an instance that fails, and the
 * rounds that it finished are handed out after that.
 *
 * A boot runs an image of two rounds up to the barrier before the second, which it keeps closed:
 * what is there then is kept, and each instance that goes on from the boot puts it back.
 */
#include "design/chip/chip.h"

#include "base/memory.h"
#include "base/text.h"
#include "design/chip/chip_memory.h"
#include "design/image_room.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SKEW = 16, MOST_ROUNDS = 1 << 20, MOST_BYTES = 4096 };

const char *const col_chip_logs[COL_CHIP_LOGS + 1] = {
    [COL_CHIP_TAP] = "tap", [COL_CHIP_STORE] = "store", [COL_CHIP_REGISTERS] = "registers"};

/* ---- The chip. */

/* A boot before its second round. */
typedef struct chip_kept {
    isa_image image;
    duv_memory memory;
    uint64_t cycle, moved;
    uint64_t *last, *last_pc, *arrivals; /* of the tap */
} chip_kept;

struct col_chip {
    col_chip_settings settings;
    isa_platform platform;
    const col_program *program; /* NULL: none */
    isa_image_settings image_settings;
    isa_image image;
    const isa_image *now; /* this one, or that of the boot */
    duv_memory memory;
    duv_tap tap;
    duv_watch watch;
    chip_kept kept;
    uint64_t expected;     /* operations that read or write */
    uint32_t last_barrier; /* when it opens, nothing more is wanted; 0: that is not known */
    uint64_t cycle, moved; /* the last cycle with an access or a retirement */
    bool is_stuck, is_through;
    /* What the last start brought. */
    uint8_t *bytes; /* of the results */
    size_t byte_capacity;
    isa_results results;
    isa_reads reads;
    uint64_t whole, next; /* rounds that can be handed out; the next one of them */
};

void col_chip_default(col_chip_settings *settings) {
    *settings = (col_chip_settings){.log = COL_CHIP_REGISTERS,
                                    .takes_atomics = true,
                                    .rounds = 1,
                                    .skew = 4,
                                    .patience = 10000};
}

/* ---- Opening. */

col_status duv_chip_check_platform(const isa_platform *p, col_problem *problem) {
    if (p->exit.kind != ISA_EXIT_WRITE && p->exit.kind != ISA_EXIT_FINISHER &&
        p->exit.kind != ISA_EXIT_TOHOST)
        return base_refuse(problem, "the platform of a chip needs an exit that is a write to an "
                                    "address: write, finisher or tohost");
    if (p->hart.from == ISA_HART_MEMORY)
        return base_refuse(problem, "harts of a chip cannot read their numbers from memory: the "
                                    "bus does not tell them apart");
    return COL_OK;
}

static col_status check_settings(const col_chip_settings *s, col_problem *problem) {
    if (s->tells_commits && (s->log != COL_CHIP_TAP || s->rounds > 1))
        return base_refuse(problem, "a chip that reports the commits of writes needs the tap of "
                                    "retirements, and one round to a start");
    if (s->rounds == 0 || s->rounds > MOST_ROUNDS)
        return base_refuse(problem, "an image has 1 to %d rounds, not %u", MOST_ROUNDS, s->rounds);
    if (s->skew > MOST_SKEW)
        return base_refuse(problem, "the start skew has at most %d bits, not %u", MOST_SKEW,
                           s->skew);
    return COL_OK;
}

static col_status open_chip(col_chip *c, col_problem *problem) {
    const col_chip_settings *s = &c->settings;
    BASE_TRY(check_settings(s, problem));
    BASE_TRY(
        isa_platform_parse(&c->platform, s->platform, strlen(s->platform), "platform", problem));
    BASE_TRY(duv_chip_check_platform(&c->platform, problem));
    BASE_TRY(duv_memory_open(&c->memory, &c->platform, problem));
    BASE_TRY(duv_memory_open(&c->kept.memory, &c->platform, problem));
    if (s->harts > 0)
        c->platform.harts = s->harts;
    static const isa_log logs[COL_CHIP_LOGS] = {[COL_CHIP_TAP] = ISA_LOG_TAP,
                                                [COL_CHIP_STORE] = ISA_LOG_STORE,
                                                [COL_CHIP_REGISTERS] = ISA_LOG_REGISTERS};
    isa_image_default(&c->image_settings);
    c->image_settings.log = logs[s->log];
    c->image_settings.has_finals = s->log != COL_CHIP_TAP;
    c->image_settings.skew_bits = s->skew;
    c->image_settings.asks_skew = c->platform.barrier.kind == ISA_BARRIER_DEVICE;
    c->tap.harts = (uint32_t)c->platform.harts;
    BASE_TRY(base_new(&c->kept.last, c->tap.harts + 1, sizeof *c->kept.last, problem));
    BASE_TRY(base_new(&c->kept.last_pc, c->tap.harts + 1, sizeof *c->kept.last_pc, problem));
    BASE_TRY(base_new(&c->kept.arrivals, c->tap.harts + 1, sizeof *c->kept.arrivals, problem));
    c->tap.tells_events = s->tells_commits;
    c->tap.is_current = s->is_current && s->tells_commits;
    return COL_OK;
}

col_status col_chip_new(col_chip **chip, const col_chip_settings *settings, col_problem *problem) {
    col_chip *c = NULL;
    *chip = NULL;
    BASE_TRY(base_new(&c, 1, sizeof *c, problem));
    c->settings = *settings;
    c->image = c->kept.image = (isa_image)ISA_IMAGE_EMPTY;
    const col_status status = open_chip(c, problem);
    c->settings.platform = NULL; /* the caller's */
    if (status == COL_OK)
        *chip = c;
    else
        col_chip_free(c);
    return status;
}

void col_chip_free(col_chip *c) {
    if (c == NULL)
        return;
    duv_tap_free(&c->tap);
    duv_memory_free(&c->memory);
    duv_memory_free(&c->kept.memory);
    isa_image_free(&c->kept.image);
    free(c->kept.last);
    free(c->kept.last_pc);
    free(c->kept.arrivals);
    isa_results_close(&c->results);
    isa_reads_free(&c->reads);
    isa_image_free(&c->image);
    free(c->bytes);
    free(c);
}

void col_chip_describe(const col_chip *c, col_duv_description *d) {
    const isa_platform *p = &c->platform;
    const uint32_t atomics = 1U << COL_SWAP | 1U << COL_ADD;
    d->cores = (uint32_t)p->harts;
    d->geometry = duv_image_geometry(p);
    d->shows = c->settings.tells_commits ? COL_SHOWS_EVENTS : COL_SHOWS_READS;
    d->varies = c->settings.rounds > 1;
    d->is_narrow = (p->target->word_sizes & 8) == 0;
    d->executes = true;
    d->refuses = (p->target->elf_machine == ISA_EM_RISCV && !p->has_flush ? 1U << COL_FLUSH : 0) |
                 (c->settings.takes_atomics ? 0 : atomics);
    d->window = duv_image_window(p);
}

/* ---- A start. */

static void forget(col_chip *c) {
    isa_results_close(&c->results);
    c->whole = c->next = 0;
}

/* Its rounds, for a start and for a boot. */
static uint64_t rounds_for(const col_chip *c, uint64_t wanted) {
    return duv_image_rounds(&c->platform, c->program, c->image_settings.log, wanted);
}

col_status col_chip_load(col_chip *c, const col_program *program, col_problem *problem) {
    forget(c);
    c->program = program;
    c->expected = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const col_kind_traits *kind = &col_kinds[program->operations[o].kind];
        c->expected += kind->reads || kind->writes;
    }
    c->image_settings.rounds = rounds_for(c, c->settings.rounds);
    const col_status status =
        isa_image_build(&c->image, program, &c->platform, &c->image_settings, problem);
    if (status != COL_OK)
        c->program = NULL;
    return status;
}

static bool has_passed(const col_chip *c) {
    const uint32_t word = c->memory.devices.exit_word;
    const isa_exit *exit = &c->platform.exit;
    const uint32_t good = exit->kind == ISA_EXIT_TOHOST     ? 1
                          : exit->kind == ISA_EXIT_FINISHER ? 0x5555
                                                            : (uint32_t)exit->pass;
    return c->is_through || c->memory.devices.is_held ||
           (c->memory.devices.has_exited && word == good);
}

static col_status fill(col_chip *c, col_problem *problem) {
    uint32_t done = 0;
    const isa_code *code = &c->image.code;
    for (; done < code->size; done += 64) {
        const size_t count = code->size - done < 64 ? code->size - done : 64;
        if (!duv_memory_write(&c->memory, c->image.load + done, (uint32_t)count, code->bytes + done,
                              UINT64_MAX))
            return base_out_of_memory(problem);
    }
    return COL_OK;
}

/* There are two barriers to a round, and one at the end, behind the log's final words. */
static uint32_t last_barrier(const col_chip *c, uint64_t rounds) {
    if (!c->memory.devices.has_barrier)
        return 0;
    return c->settings.log != COL_CHIP_TAP ? 2 * (uint32_t)rounds + 1
           : c->settings.tells_commits     ? 2 * (uint32_t)rounds
                                           : 0;
}

/* Of the image that runs now. */
static col_status begin_watching(col_chip *c, uint64_t round, const col_observer *observer,
                                 col_problem *problem) {
    c->watch.cycle = 0;
    duv_watch_begin(&c->watch, c->now, round, c->program, c->platform.geometry.block_bits,
                    observer);
    c->tap.arrives = c->now->arrives;
    BASE_TRY(duv_tap_open(&c->tap, &c->now->maps[0], c->program, problem));
    return duv_tap_turn(&c->tap, round, observer, problem);
}

/* The image of so many rounds is in memory, and everything else as after a reset. */
static col_status start(col_chip *c, uint64_t seed, uint64_t rounds, const col_observer *observer,
                        col_problem *problem) {
    forget(c);
    c->image_settings.seed = seed;
    c->image_settings.rounds = rounds;
    BASE_TRY(isa_image_build(&c->image, c->program, &c->platform, &c->image_settings, problem));
    duv_memory_clear(&c->memory);
    duv_devices *d = &c->memory.devices;
    d->coming = d->arrived = d->gone = d->closed = d->exit_word = 0;
    d->has_exited = d->is_held = false;
    d->luck = seed;
    c->memory.has_strange = false;
    c->memory.status = COL_OK;
    d->threads = c->program->thread_count;
    /* Where the exit is: the platform says so, or the image has the word. */
    d->exit = c->platform.exit.address;
    d->exits_in_memory = c->platform.exit.kind == ISA_EXIT_TOHOST;
    for (size_t i = 0; i < c->image.symbol_count; i++)
        if (d->exits_in_memory && strcmp(c->image.symbols[i].name, "tohost") == 0)
            d->exit = c->image.symbols[i].address;
    c->cycle = c->moved = 0;
    c->is_stuck = c->is_through = false;
    c->last_barrier = last_barrier(c, rounds);
    BASE_TRY(fill(c, problem));
    c->now = &c->image;
    return begin_watching(c, 0, observer, problem);
}

col_status col_chip_begin(col_chip *c, uint64_t seed, const col_observer *observer,
                          col_problem *problem) {
    return start(c, seed, rounds_for(c, c->settings.rounds), observer, problem);
}

/* ---- Boots. */

enum { SECOND_ROUND = 3 }; /* its first barrier */

bool col_chip_boots(const col_chip *c) {
    return c->memory.devices.has_barrier && c->settings.rounds == 1 &&
           (c->settings.log != COL_CHIP_TAP || c->settings.tells_commits) && rounds_for(c, 2) == 2;
}

col_status col_chip_boot(col_chip *c, uint64_t seed, const col_observer *observer,
                         col_problem *problem) {
    BASE_TRY(start(c, seed, 2, observer, problem));
    c->memory.devices.closed = SECOND_ROUND;
    return COL_OK;
}

bool col_chip_has_booted(const col_chip *c) {
    return c->memory.devices.is_held;
}

col_status col_chip_keep(col_chip *c, col_problem *problem) {
    chip_kept *k = &c->kept;
    k->cycle = c->cycle;
    k->moved = c->moved;
    memcpy(k->last, c->tap.last, c->tap.harts * sizeof *k->last);
    memcpy(k->last_pc, c->tap.last_pc, c->tap.harts * sizeof *k->last_pc);
    memcpy(k->arrivals, c->tap.arrivals, c->tap.harts * sizeof *k->arrivals);
    isa_image_free(&k->image);
    k->image = c->image; /* with the map, which stays where it is */
    c->image = (isa_image)ISA_IMAGE_EMPTY;
    return duv_memory_copy(&k->memory, &c->memory, problem);
}

col_status col_chip_go_on(col_chip *c, uint64_t seed, const col_observer *observer,
                          col_problem *problem) {
    const chip_kept *k = &c->kept;
    forget(c);
    BASE_TRY(duv_memory_copy(&c->memory, &k->memory, problem));
    c->memory.devices.is_held = false;
    c->memory.devices.closed = 0;
    c->memory.devices.gone = SECOND_ROUND;
    c->memory.devices.luck = seed;
    c->cycle = k->cycle;
    c->moved = k->moved;
    c->is_stuck = c->is_through = false;
    c->next = 1; /* the first round was the boot's */
    c->last_barrier = last_barrier(c, 2);
    c->now = &k->image;
    BASE_TRY(begin_watching(c, 1, observer, problem));
    memcpy(c->tap.last, k->last, c->tap.harts * sizeof *k->last);
    memcpy(c->tap.last_pc, k->last_pc, c->tap.harts * sizeof *k->last_pc);
    memcpy(c->tap.arrivals, k->arrivals, c->tap.harts * sizeof *k->arrivals);
    c->tap.cycle = c->watch.cycle = k->cycle;
    return COL_OK;
}

/* ---- A cycle. */

bool col_chip_read(col_chip *c, uint64_t address, uint32_t bytes, uint8_t *to) {
    c->moved = c->cycle;
    const bool is_there = duv_memory_read(&c->memory, address, bytes, to);
    if (!is_there && !c->memory.has_strange) {
        c->memory.has_strange = true;
        c->memory.strange = address;
    }
    return is_there;
}

bool col_chip_write(col_chip *c, uint64_t address, uint32_t bytes, const uint8_t *from,
                    uint64_t strobes) {
    c->moved = c->cycle;
    const bool is_there = duv_memory_write(&c->memory, address, bytes, from, strobes);
    if (!is_there && strobes != 0 && !c->memory.has_strange) {
        c->memory.has_strange = true;
        c->memory.strange = address;
    }
    return is_there;
}

void col_chip_ask(col_chip *c, uint32_t bus, uint64_t number, bool is_write, uint64_t address,
                  uint32_t bytes, uint64_t id) {
    duv_watch_ask(&c->watch, &(duv_access){.bus = bus,
                                           .number = number,
                                           .is_write = is_write,
                                           .address = address,
                                           .bytes = bytes,
                                           .id = id});
}

void col_chip_perform(col_chip *c, uint32_t bus, uint64_t number) {
    uint8_t bytes[MOST_BYTES];
    const duv_access *a = duv_watch_under_way(&c->watch, bus, number);
    if (a == NULL || a->bytes > sizeof bytes)
        return;
    const uint64_t luck = c->memory.devices.luck; /* who watches changes nothing */
    (void)duv_memory_read(&c->memory, a->address, a->bytes, bytes);
    c->memory.devices.luck = luck;
    duv_watch_perform(&c->watch, bus, number, bytes);
}

void col_chip_answer(col_chip *c, uint32_t bus, uint64_t number) {
    duv_watch_answer(&c->watch, bus, number);
}

void col_chip_forget(col_chip *c, uint32_t bus) {
    duv_watch_forget(&c->watch, bus);
}

void col_chip_retire(col_chip *c, uint32_t hart, uint64_t pc, uint32_t reg, uint64_t value) {
    c->moved = c->cycle;
    duv_tap_retire(&c->tap, hart, pc, reg, value);
}

void col_chip_commit(col_chip *c, uint32_t hart, uint64_t pc, uint64_t replaced) {
    duv_tap_commit(&c->tap, hart, pc, replaced);
}

bool col_chip_end_cycle(col_chip *c) {
    const uint64_t patience = c->settings.patience;
    c->cycle++;
    c->tap.cycle = c->watch.cycle = c->cycle;
    if (patience > 0 && (c->cycle - c->moved >= patience ||
                         (c->settings.log == COL_CHIP_TAP && c->cycle % 256 == 0 &&
                          duv_tap_stuck(&c->tap, patience) < c->tap.harts)))
        c->is_stuck = true;
    /* Harts come to a barrier when all that they stored is there; the tap may be late. */
    c->is_through = c->last_barrier != 0 && c->memory.devices.gone >= c->last_barrier &&
                    (!c->settings.tells_commits || c->tap.performed >= c->expected);
    return !c->is_stuck && !c->is_through && !c->memory.devices.is_held &&
           c->tap.stale[0] == '\0' && !c->memory.devices.has_exited && c->tap.status == COL_OK &&
           c->memory.status == COL_OK;
}

/* ---- The end of a start. */

/* The window of results, as it is in memory. */
static col_status take_results(col_chip *c, const isa_map **map, const uint8_t **bytes,
                               isa_ending *ending, col_problem *problem) {
    const isa_window *window = &c->now->maps[0].results;
    BASE_TRY(base_reserve(&c->bytes, &c->byte_capacity, (size_t)window->size + 1, 1, problem));
    (void)duv_memory_read(&c->memory, window->base, (uint32_t)window->size, c->bytes);
    *map = &c->now->maps[0];
    *bytes = c->bytes;
    BASE_TRY(isa_results_open(&c->results, *map, c->program, *bytes, problem));
    return isa_results_ending(&c->results, ending, problem);
}

/* What the tap saw, in place of a log. */
static col_status take_tapped(col_chip *c, isa_ending *ending, col_problem *problem) {
    const isa_map *map = NULL;
    const uint8_t *bytes = NULL;
    if (!isa_map_has_reads(&c->now->maps[0])) {
        ending->rounds = has_passed(c) ? c->now->maps[0].rounds : 0;
        return COL_OK;
    }
    col_problem own = {0};
    col_status status = isa_commits_end(c->tap.commits, &map, &bytes, &own);
    if (status == COL_BAD_INPUT) { /* nothing was retired */
        ending->rounds = 0;
        return COL_OK;
    }
    if (status == COL_OK) {
        isa_results_close(&c->results);
        status = isa_results_open(&c->results, map, c->program, bytes, problem);
        ending->rounds = map->rounds;
    } else if (problem != NULL) {
        *problem = own;
    }
    return status;
}

static void say(col_run *run, col_run_end end, const char *sentence) {
    run->end = end;
    base_sentence(run->message, sizeof run->message, "%s", sentence);
}

/* Nothing moves: who waits, as far as anybody knows. */
static void say_stuck(const col_chip *c, const isa_ending *ending, col_run *run) {
    const unsigned long long patience = c->settings.patience;
    const uint32_t hart =
        c->settings.log == COL_CHIP_TAP ? duv_tap_stuck(&c->tap, patience) : c->tap.harts;
    char place[160];
    run->end = COL_RUN_DEADLOCK;
    if (hart < c->tap.harts && c->tap.last_pc[hart] == 0) {
        base_sentence(run->message, sizeof run->message,
                      "hart %u has retired no instruction for %llu cycles since reset", hart,
                      patience);
    } else if (hart < c->tap.harts) {
        duv_tap_name(&c->tap, c->tap.last_pc[hart], place, sizeof place);
        base_sentence(run->message, sizeof run->message,
                      "hart %u has retired no instruction for %llu cycles; its last one was %s",
                      hart, patience, place);
    } else {
        base_sentence(run->message, sizeof run->message,
                      "the chip has asked nothing of memory for %llu cycles%s%s", patience,
                      ending->sentence[0] == '\0' ? "" : "; ", ending->sentence);
    }
}

/* ---- Where everything stands when an image has not come to its end. */

/* What a hart without a tap has left in its record. */
static void tell_record(col_chip *c, uint32_t hart) {
    uint64_t round = 0;
    const isa_state state =
        c->results.bytes == NULL ? ISA_STATE_NONE : isa_results_state(&c->results, hart, &round);
    duv_watch_say(&c->watch, COL_OF_CORE, hart, 0,
                  state == ISA_STATE_NONE      ? "has left nothing in its record"
                  : state == ISA_STATE_DONE    ? "has run all rounds, says its record"
                  : state == ISA_STATE_TRAPPED ? "has trapped, says its record"
                                               : "was in round %llu, says its record",
                  (unsigned long long)round + 1);
}

static void tell_hart(col_chip *c, uint32_t hart, uint64_t barrier) {
    const duv_tap *tap = &c->tap;
    const uint64_t pc = tap->last_pc[hart];
    char place[160];
    base_text text = {0};
    if (pc == 0) {
        duv_watch_say(&c->watch, COL_OF_CORE, hart, 0, "has retired nothing since reset");
        return;
    }
    duv_tap_name(tap, pc, place, sizeof place);
    isa_image_say(c->now, pc, &text);
    duv_watch_say(&c->watch, COL_OF_CORE, hart, 0,
                  "retired its last instruction in cycle %llu: %s%s%s%s",
                  (unsigned long long)tap->last[hart], text.data == NULL ? "" : text.data,
                  text.data == NULL ? "" : ", ", place,
                  tap->arrives == 0                ? ""
                  : tap->arrivals[hart] >= barrier ? "; it has arrived at the barrier"
                                                   : "; it has not arrived at the barrier");
    base_text_free(&text);
}

static void tell_trap(col_chip *c, const isa_ending *ending) {
    base_text text = {0};
    isa_image_say(c->now, ending->pc, &text);
    duv_watch_say(&c->watch, COL_OF_CORE, ending->hart, 0, "trapped at pc 0x%llx: %s",
                  (unsigned long long)ending->pc,
                  text.data == NULL ? "an address outside of the image" : text.data);
    base_text_free(&text);
}

static void tell_standing(col_chip *c, const isa_ending *ending, const col_run *run) {
    const duv_devices *d = &c->memory.devices;
    const uint32_t arrived = d->coming == d->gone ? 0 : d->arrived;
    const uint64_t barrier = (uint64_t)d->gone + 1;
    duv_watch_say(&c->watch, COL_OF_MEMORY, 0, 0,
                  run->end == COL_RUN_TIMED_OUT ? "the image takes too long"
                  : c->is_stuck                 ? "nothing moves"
                                                : "the image gave up");
    if (ending->pc != 0)
        tell_trap(c, ending);
    for (uint32_t h = 0; h < c->now->maps[0].thread_count; h++)
        if (c->settings.log == COL_CHIP_TAP)
            tell_hart(c, h, barrier);
        else
            tell_record(c, h);
    if (d->has_barrier)
        duv_watch_say(&c->watch, COL_OF_MEMORY, 0, 0, "saw %u of %u harts arrive at barrier %llu",
                      arrived, d->threads, (unsigned long long)barrier);
    duv_watch_say_bus(&c->watch);
}

static bool is_unfinished(const col_run *run) {
    return run->end == COL_RUN_DEADLOCK || run->end == COL_RUN_TIMED_OUT ||
           run->end == COL_RUN_CRASHED;
}

/* The one that gave up is not the one that did not come. */
static void say_arrived(const col_chip *c, col_run *run) {
    const duv_devices *d = &c->memory.devices;
    const size_t length = strlen(run->message);
    if (d->has_barrier && d->coming != d->gone)
        base_sentence(run->message + length, sizeof run->message - length,
                      "; %u of %u harts arrived at it", d->arrived, d->threads);
}

/* How it ended, unless somebody else said so. */
static void judge(const col_chip *c, const isa_ending *ending, col_run *run) {
    const uint64_t rounds = c->memory.devices.is_held ? 1 : c->now->maps[0].rounds;
    if (run->end != COL_RUN_COMPLETE) {
        const size_t length = strlen(run->message);
        if (run->end == COL_RUN_TIMED_OUT && ending->sentence[0] != '\0')
            base_sentence(run->message + length, sizeof run->message - length, "; %s",
                          ending->sentence);
    } else if (c->tap.stale[0] != '\0') {
        say(run, COL_RUN_PROTOCOL_ERROR, c->tap.stale);
    } else if (c->is_stuck) {
        say_stuck(c, ending, run);
    } else if (ending->state != ISA_STATE_DONE && !has_passed(c)) {
        say(run, duv_image_end(ending), ending->sentence);
        if (ending->state == ISA_STATE_ALONE)
            say_arrived(c, run);
    } else if (!has_passed(c)) {
        run->end = COL_RUN_CRASHED;
        base_sentence(run->message, sizeof run->message,
                      "the image ended with the word 0x%x, and its results do not say why",
                      c->memory.devices.exit_word);
    } else if (!c->settings.tells_commits && ending->rounds < rounds) {
        run->end = COL_RUN_CRASHED;
        base_sentence(run->message, sizeof run->message,
                      "the image ended well, but %s %llu of its %llu round%s",
                      c->settings.log == COL_CHIP_TAP ? "the tap saw" : "its log has",
                      (unsigned long long)ending->rounds, (unsigned long long)rounds,
                      rounds == 1 ? "" : "s");
    }
    if (run->end != COL_RUN_COMPLETE && run->end != COL_RUN_STOPPED && c->memory.has_strange) {
        const size_t length = strlen(run->message);
        base_sentence(run->message + length, sizeof run->message - length,
                      "; address 0x%llx, which is neither memory nor a device, was accessed",
                      (unsigned long long)c->memory.strange);
    }
}

col_status col_chip_end(col_chip *c, const col_observer *observer, col_run *run,
                        col_problem *problem) {
    isa_ending ending = {.state = ISA_STATE_NONE};
    const isa_map *map = NULL;
    const uint8_t *bytes = NULL;
    run->operations = c->tap.performed;
    if (c->memory.status != COL_OK)
        return base_out_of_memory(problem);
    if (c->tap.status != COL_OK) {
        if (problem != NULL)
            *problem = c->tap.problem;
        return c->tap.status;
    }
    col_status status = take_results(c, &map, &bytes, &ending, problem);
    if (status == COL_BAD_INPUT) /* not ours: a chip that wrote elsewhere */
        status = COL_OK;
    if (status == COL_OK && c->tap.commits != NULL && c->settings.log == COL_CHIP_TAP)
        status = take_tapped(c, &ending, problem);
    if (status != COL_OK)
        return status;
    judge(c, &ending, run);
    if (is_unfinished(run))
        tell_standing(c, &ending, run);
    c->whole = c->settings.tells_commits ? 0 : ending.rounds;
    if (run->end == COL_RUN_COMPLETE && !c->settings.tells_commits)
        (void)col_chip_hand_out(c, observer, run);
    if (c->settings.rounds == 1)
        c->next = c->whole;
    return COL_OK;
}

/* A value that nobody logged cannot be judged; one of another round can, and is wrong. */
bool col_chip_hand_out(col_chip *c, const col_observer *observer, col_run *run) {
    if (c->next >= c->whole)
        return false;
    if (isa_results_round(&c->results, c->next++, &c->reads, NULL) != COL_OK) {
        say(run, COL_RUN_CRASHED, "there is not enough memory for the values of a round");
        return true;
    }
    run->end = COL_RUN_COMPLETE;
    run->operations = col_program_operations(c->program);
    if (c->reads.lost_count > 0 && c->reads.old_count == 0) {
        run->end = COL_RUN_CRASHED;
        (void)isa_reads_explain(&c->results, &c->reads, run->message, sizeof run->message);
    } else if (observer != NULL) {
        isa_reads_tell(&c->reads, c->program, observer);
    }
    return true;
}
