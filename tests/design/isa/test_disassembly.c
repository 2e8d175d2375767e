/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Random threads, as the GNU disassembler reads them: all is instructions, those at the sites do
 * what their operations ask for, and values flow from reads to the operations that depend on them.
 * The flow is followed through registers, line by line, by the manuals' syntactic rules: what an
 * instruction computes depends on all registers that it reads.
 */
#include "design/isa/instruction_set.h"
#include "gnu.h"
#include "harness.h"
#include "sample.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2000, FLAGS = 32, BRANCH, PLACES, NO_REGISTER = -1 };

/* A set of reads, by their slots. */
typedef struct reads {
    uint64_t bits[(MAX_LENGTH + 63) / 64];
} reads;

static void add_read(reads *set, uint32_t slot) {
    set->bits[slot / 64] |= UINT64_C(1) << slot % 64;
}

static bool has_read(const reads *set, uint32_t slot) {
    return (set->bits[slot / 64] >> slot % 64 & 1) != 0;
}

static void unite(reads *set, const reads *more) {
    for (size_t i = 0; i < sizeof set->bits / sizeof *set->bits; i++)
        set->bits[i] |= more->bits[i];
}

static bool is_empty(const reads *set) {
    const reads none = {{0}};
    return memcmp(set, &none, sizeof none) == 0;
}

/* An instruction: its registers in the order of the text, and which of them make the address. */
typedef struct parsed {
    char mnemonic[24];
    int registers[4];
    bool in_address[4], is_narrow[4];
    int count;
    bool has_address, address_is_last;
} parsed;

static int x86_register(const char *name, size_t length, bool *is_narrow) {
    static const char *const names[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
    *is_narrow = name[0] == 'e' || name[length - 1] == 'd';
    if (isdigit((unsigned char)name[1]))
        return atoi(name + 1);
    if (length == 3 && strncmp(name, "rip", 3) == 0)
        return NO_REGISTER;
    for (int i = 0; i < 8; i++)
        if (length == 3 && strncmp(name + 1, names[i], 2) == 0)
            return i;
    fail_msg("unknown register %s", name);
    return NO_REGISTER;
}

/* The register at this place of the text, if there is one. */
static int register_at(const isa_target *target, const char *text, const char *start,
                       bool *is_narrow) {
    const bool continues = text > start && (isalnum((unsigned char)text[-1]) || text[-1] == '.');
    if (target->name[0] == 'x')
        return *text == '%' ? x86_register(text + 1,
                                           strspn(text + 1, "abcdefghijklmnopqrstuvwxyz0123456789"),
                                           is_narrow)
                            : NO_REGISTER;
    if (continues || (*text != 'x' && *text != 'w') || !isdigit((unsigned char)text[1]))
        return NO_REGISTER;
    *is_narrow = *text == 'w';
    return atoi(text + 1);
}

static parsed parse(const isa_target *target, const char *text) {
    parsed p = {.count = 0};
    const char *blank = strchr(text, ' ');
    if (strncmp(text, "lock ", 5) == 0 || strncmp(text, "dc ", 3) == 0 ||
        strncmp(text, "prfm ", 5) == 0)
        blank = strpbrk(blank + 1, " ,");
    const size_t length = blank == NULL ? strlen(text) : (size_t)(blank - text);
    snprintf(p.mnemonic, sizeof p.mnemonic, "%.*s", (int)length, text);
    bool in_address = false;
    for (const char *at = text + length; *at != '\0'; at++) {
        if (*at == '(' || *at == '[')
            in_address = p.has_address = true;
        else if (*at == ')' || *at == ']')
            in_address = false;
        p.address_is_last = p.has_address && (*at == ')' || *at == ']' || p.address_is_last) &&
                            !(*at == ',' && !in_address);
        bool is_narrow = false;
        const int reg = register_at(target, at, text, &is_narrow);
        if (reg == NO_REGISTER || p.count == 4)
            continue;
        p.registers[p.count] = reg;
        p.is_narrow[p.count] = is_narrow;
        p.in_address[p.count++] = in_address;
    }
    return p;
}

static bool begins(const parsed *p, const char *text) {
    return strncmp(p->mnemonic, text, strlen(text)) == 0;
}

static bool begins_with_any(const parsed *p, const char *const *words) {
    for (; *words != NULL; words++)
        if (begins(p, *words))
            return true;
    return false;
}

/* What an instruction does to the flow. */
typedef struct effect {
    int destination; /* the place among its registers; NO_REGISTER: none */
    int value;       /* the place of what is stored; NO_REGISTER: none */
    bool keeps;      /* the destination is a source, too */
    bool loads, branches, sets_flags;
} effect;

static effect effect_of_riscv(const parsed *p) {
    static const char *const without[] = {"fence", "jal", "cbo", "prefetch", NULL};
    if (begins_with_any(p, without))
        return (effect){NO_REGISTER, NO_REGISTER, false, false, false, false};
    if (p->mnemonic[0] == 'b')
        return (effect){NO_REGISTER, NO_REGISTER, false, false, true, false};
    if (begins(p, "amo"))
        return (effect){0, 1, false, true, false, false};
    if (p->has_address)
        return p->mnemonic[0] == 's' ? (effect){NO_REGISTER, 0, false, false, false, false}
                                     : (effect){0, NO_REGISTER, false, true, false, false};
    return (effect){0, NO_REGISTER, false, false, false, false};
}

static effect effect_of_aarch64(const parsed *p) {
    static const char *const without[] = {"dmb", "dc", "ret", "prfm", "br", NULL};
    static const char *const exclusive[] = {"stxr", "stlxr", NULL};
    static const char *const atomic[] = {"swp", "ldadd", NULL};
    if (begins_with_any(p, without))
        return (effect){NO_REGISTER, NO_REGISTER, false, false, false, false};
    if (begins(p, "cmp"))
        return (effect){NO_REGISTER, NO_REGISTER, false, false, false, true};
    if (p->mnemonic[0] == 'b' || begins(p, "cb"))
        return (effect){NO_REGISTER, NO_REGISTER, false, false, true, false};
    if (begins_with_any(p, exclusive))
        return (effect){0, 1, false, true, false, false};
    if (begins_with_any(p, atomic))
        return (effect){1, 0, false, true, false, false};
    if (p->has_address)
        return p->mnemonic[0] == 's' ? (effect){NO_REGISTER, 0, false, false, false, false}
                                     : (effect){0, NO_REGISTER, false, true, false, false};
    return (effect){0, NO_REGISTER, begins(p, "movk"), false, false, false};
}

static effect effect_of_x86(const parsed *p) {
    static const char *const without[] = {"mfence", "clflush",  "push", "pop",
                                          "ret",    "prefetch", "jmp",  NULL};
    static const char *const flags[] = {"cmp", "test", NULL};
    const int last = p->count - 1;
    if (begins_with_any(p, without))
        return (effect){NO_REGISTER, NO_REGISTER, false, false, false, false};
    if (begins_with_any(p, flags))
        return (effect){NO_REGISTER, NO_REGISTER, false, false, false, true};
    if (p->mnemonic[0] == 'j')
        return (effect){NO_REGISTER, NO_REGISTER, false, false, true, false};
    if (begins(p, "xchg") || begins(p, "lock xadd"))
        return (effect){0, 0, false, true, false, false};
    if (begins(p, "lea"))
        return (effect){last, NO_REGISTER, false, false, false, false};
    if (p->has_address)
        return p->address_is_last ? (effect){NO_REGISTER, 0, false, false, false, false}
                                  : (effect){last, NO_REGISTER, false, true, false, false};
    return (effect){last, NO_REGISTER, !begins(p, "mov"), false, false, false};
}

static effect effect_of(const isa_target *target, const parsed *p) {
    return target->name[0] == 'r'   ? effect_of_riscv(p)
           : target->name[0] == 'a' ? effect_of_aarch64(p)
                                    : effect_of_x86(p);
}

/* What each register, the flags and the branches so far depend on. */
typedef struct flow {
    reads places[PLACES];
} flow;

static reads sources_of(const flow *f, const parsed *p, const effect *e) {
    reads sources = {{0}};
    for (int i = 0; i < p->count; i++)
        if (i != e->destination || e->keeps)
            unite(&sources, &f->places[p->registers[i]]);
    return sources;
}

static void follow(const isa_target *target, flow *f, const parsed *p) {
    const effect e = effect_of(target, p);
    const reads sources = sources_of(f, p, &e), none = {{0}};
    if (e.sets_flags)
        f->places[FLAGS] = sources;
    if (e.branches) {
        unite(&f->places[BRANCH], &sources);
        unite(&f->places[BRANCH], &f->places[FLAGS]);
    }
    if (e.destination != NO_REGISTER)
        f->places[p->registers[e.destination]] = e.loads ? none : sources;
}

static const char *const orders[][4] = {{"", ".aq", ".rl", ".aqrl"}, {"", "a", "l", "al"}};

/* The mnemonic that an operation asks for, behind this many prefetches. */
static void name_access(const isa_target *target, const sample *s, const col_operation *o,
                        uint32_t prefetches, char *name, size_t size) {
    static const char *const purposes[] = {"ld", "st", "li"};
    static const char *const hints[] = {"prefetcht0", "prefetchw", "prefetcht1"};
    const bool acquires = (o->order & COL_ACQUIRE) != 0, releases = (o->order & COL_RELEASE) != 0;
    const bool is_read = o->kind == COL_LOAD || o->kind == COL_AWAIT, swaps = o->kind == COL_SWAP;
    const bool atomic = swaps || o->kind == COL_ADD;
    if (target->name[0] == 'r') {
        const char letter = s->program.is_narrow ? 'w' : 'd';
        if (o->kind == COL_FLUSH)
            snprintf(name, size, "cbo.flush");
        else if (o->kind == COL_PREFETCH)
            snprintf(name, size, "prefetch.%c", "rwi"[prefetches % 3]);
        else if (o->kind == COL_FETCH)
            snprintf(name, size, "jalr");
        else if (atomic)
            snprintf(name, size, "amo%s.%c%s", swaps ? "swap" : "add", letter, orders[0][o->order]);
        else
            snprintf(name, size, "%c%c", is_read ? 'l' : 's', letter);
    } else if (target->name[0] == 'a') {
        if (o->kind == COL_FLUSH)
            snprintf(name, size, "dc civac");
        else if (o->kind == COL_PREFETCH)
            snprintf(name, size, "prfm p%sl1keep", purposes[prefetches % 3]);
        else if (o->kind == COL_FETCH)
            snprintf(name, size, "br");
        else if (atomic && s->settings.exclusives)
            snprintf(name, size, acquires ? "ldaxr" : "ldxr");
        else if (atomic)
            snprintf(name, size, "%s%s", swaps ? "swp" : "ldadd", orders[1][o->order]);
        else
            snprintf(name, size, is_read ? acquires ? "ldar" : "ldr" : releases ? "stlr" : "str");
    } else {
        snprintf(name, size, "%s",
                 o->kind == COL_FLUSH      ? "clflush"
                 : o->kind == COL_PREFETCH ? hints[prefetches % 3]
                 : o->kind == COL_FETCH    ? "jmp"
                 : swaps                   ? "xchg"
                 : atomic                  ? "lock xadd"
                                           : "mov");
    }
}

/* A thread's listing under judgement. */
typedef struct judged {
    const isa_target *target;
    const sample *s;
    const listing *list;
    flow flow;
    uint32_t dependencies, bundled, prefetches, fetches;
} judged;

/* What the stored value depends on. Of an exclusive pair, the store has it. */
static reads value_reads(const judged *j, size_t at) {
    flow f = j->flow;
    parsed p = parse(j->target, j->list->lines[at].text);
    effect e = effect_of(j->target, &p);
    while (e.value == NO_REGISTER) {
        follow(j->target, &f, &p);
        p = parse(j->target, j->list->lines[++at].text);
        e = effect_of(j->target, &p);
    }
    return f.places[p.registers[e.value]];
}

static reads address_reads(const flow *f, const parsed *p) {
    reads set = {{0}};
    const bool is_bare = begins(p, "dc") || begins(p, "cbo") || begins(p, "br") || begins(p, "jmp");
    for (int i = 0; i < p->count; i++)
        if (p->in_address[i] || is_bare)
            unite(&set, &f->places[p->registers[i]]);
    return set;
}

static void show_lines(const judged *j, uint32_t from, size_t end) {
    for (size_t i = line_at(j->list, from); i <= end; i++)
        print_message("%4x %s\n", (unsigned)j->list->lines[i].offset, j->list->lines[i].text);
}

static void check_dependency(judged *j, const isa_site *site, const col_operation *o, size_t at) {
    const parsed p = parse(j->target, j->list->lines[at].text);
    reads sources = address_reads(&j->flow, &p);
    if (o->dependency != COL_ADDRESS)
        assert_true(is_empty(&sources));
    if (o->dependency == COL_NO_DEPENDENCY)
        return;
    if (o->dependency == COL_CONTROL)
        sources = j->flow.places[BRANCH];
    else if (o->dependency == COL_DATA)
        sources = value_reads(j, at);
    const isa_site *source = site - o->distance;
    if (!has_read(&sources, source->slot)) {
        show_lines(j, source->offset, at);
        fail_msg("%s: operation %u does not depend on operation %u", j->target->name,
                 (unsigned)site->operation, (unsigned)source->operation);
    }
    j->dependencies++;
}

static void check_access(judged *j, const isa_site *site, size_t at) {
    const col_operation *o = &j->s->program.operations[site->operation];
    const parsed p = parse(j->target, j->list->lines[at].text);
    char name[24];
    name_access(j->target, j->s, o, j->prefetches, name, sizeof name);
    j->prefetches += o->kind == COL_PREFETCH;
    j->fetches += o->kind == COL_FETCH;
    assert_string_equal(p.mnemonic, name);
    const effect e = effect_of(j->target, &p);
    if (col_kinds[o->kind].reads) {
        assert_int_equal(p.registers[e.destination], site->reg);
        if (j->target->name[0] != 'r')
            assert_int_equal(p.is_narrow[e.destination], j->s->program.is_narrow);
    } else {
        assert_int_equal(site->reg, ISA_NONE);
    }
    check_dependency(j, site, o, at);
}

static bool is_store(const isa_target *target, const parsed *p) {
    const effect e = effect_of(target, p);
    return e.value != NO_REGISTER && e.destination == NO_REGISTER;
}

static void check_thread_code(judged *j, const isa_site *site, const isa_site *end) {
    for (; site < end; site++) {
        size_t at = site->size == 0 ? j->list->count : line_at(j->list, site->offset);
        for (; at < j->list->count && j->list->lines[at].offset < site->offset + site->size; at++) {
            const parsed p = parse(j->target, j->list->lines[at].text);
            const bool is_access = j->list->lines[at].offset == site->access;
            if (is_access)
                check_access(j, site, at);
            else if (j->s->settings.log == ISA_LOG_TAP)
                assert_false(is_store(j->target, &p));
            follow(j->target, &j->flow, &p);
            j->bundled += begins(&p, "or");
            if (is_access && site->reg != ISA_NONE) {
                j->flow.places[site->reg] = (reads){{0}};
                add_read(&j->flow.places[site->reg], site->slot);
            }
        }
    }
}

/* What stories say of instructions is what the GNU disassembler says, but for blanks, and for the
 * base of numbers in branches and hints. */
static void check_said(const isa_target *target, const isa_code *code, const listed *line) {
    base_text text = {0};
    char said[128] = "";
    size_t length = 0;
    const uint8_t *b = code->bytes + line->offset;
    const uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    assert_true(target->machine->say(target, word, line->offset, &text));
    const char *at = text.data;
    for (; *at != '\0' && length + 1 < sizeof said; at++)
        if (*at != ' ' || strchr(said, ' ') == NULL)
            said[length++] = *at;
    base_text_free(&text);
    const bool has_distance = said[0] == 'b' || strncmp(said, "jal ", 4) == 0;
    const char *target_said = strstr(said, "0x"), *listed_as = strrchr(line->text, ',');
    if (strncmp(said, "prefetch", 8) == 0 || strncmp(said, "cbo", 3) == 0) {
        assert_memory_equal(said, line->text, strcspn(said, " ")); /* 0(x5) or (x5) */
    } else if (has_distance) {
        assert_non_null(target_said);
        assert_memory_equal(said, line->text, (size_t)(target_said - said));
        assert_int_equal(strtoull(target_said, NULL, 16), strtoull(listed_as + 1, NULL, 16));
    } else {
        assert_string_equal(said, line->text);
    }
}

static void judge(const char *name) {
    const isa_target *target = isa_find(name);
    want_gnu(target);
    sample *samples = calloc(SAMPLES, sizeof *samples);
    assert_non_null(samples);
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    isa_code code = ISA_CODE_EMPTY;
    uint32_t threads = 0, dependencies = 0, bundled = 0, prefetches = 0, fetches = 0;
    for (int i = 0; i < SAMPLES; i++)
        draw_sample(&rng, target, true, &samples[i], &code);
    assert_int_equal(isa_code_finish(&code, NULL), COL_OK);
    const listing list = disassemble(target, &code);
    for (size_t l = 0; l < list.count && target->machine->say != NULL; l++)
        check_said(target, &code, &list.lines[l]);
    for (int i = 0; i < SAMPLES; i++) {
        for (uint32_t t = 0; t < samples[i].program.thread_count; t++, threads++) {
            judged j = {.target = target, .s = &samples[i], .list = &list};
            check_thread_code(&j, code.sites + samples[i].first_sites[t],
                              code.sites + samples[i].first_sites[t + 1]);
            dependencies += j.dependencies;
            bundled += j.bundled;
            prefetches += j.prefetches;
            fetches += j.fetches;
        }
        free_sample(&samples[i]);
    }
    print_message("%s: %u threads, %zu instructions, %u dependencies, %u values bundled\n", name,
                  threads, list.count, dependencies, bundled);
    assert_true(threads > 1000 && dependencies > 1000 && bundled > 10);
    assert_true(prefetches > 1000 && fetches > 1000);
    free(list.lines);
    free(samples);
    isa_code_free(&code);
}

TEST(rv32_threads_read_back_as_they_were_meant) {
    judge("rv32");
}

TEST(rv64_threads_read_back_as_they_were_meant) {
    judge("rv64");
}

TEST(aarch64_threads_read_back_as_they_were_meant) {
    judge("aarch64");
}

TEST(x86_64_threads_read_back_as_they_were_meant) {
    judge("x86-64");
}
