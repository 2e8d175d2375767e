/* SPDX-License-Identifier: MIT */
/*
 * What cells need: small protocols whose tables are known by heart. What is followed is needed;
 * what is not understood needs nothing, since it may happen anyway.
 */
#include "harness.h"

#include "collider/protocol/description.h"
#include "protocol/slicc/emit_protocol.h"
#include "protocol/slicc/parser.h"

#include <stdio.h>
#include <string.h>

/* Of the protocol at work. */
static slicc_tree tree;
static slicc_report report;
static slicc_needs needs;

static int release(void **state) {
    (void)state;
    slicc_needs_free(&needs);
    slicc_tree_free(&tree);
    slicc_report_free(&report);
    return 0;
}

static void find(const char *text) {
    col_problem problem;
    (void)release(NULL);
    needs = (slicc_needs){0};
    assert_int_equal(
        slicc_parse_text(&tree, slicc_prelude, strlen(slicc_prelude), "prelude", &report, &problem),
        COL_OK);
    assert_int_equal(slicc_parse_text(&tree, text, strlen(text), "text", &report, &problem),
                     COL_OK);
    if (slicc_report_status(&report, &problem) != COL_OK)
        fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
    slicc_tree_sort(&tree);
    slicc_needs_find(&needs, &tree, &report);
    assert_false(report.failed);
}

static uint32_t needs_of(const char *machine, const char *state, const char *event) {
    const slicc_declaration *d = slicc_member_find(tree.declarations, SLICC_MACHINE, machine);
    assert_non_null(d);
    if (d == NULL)
        return 0; /* for the analyser */
    const slicc_declaration *states = slicc_states_of(d);
    const slicc_declaration *events = slicc_member_find(d->members, SLICC_ENUMERATION, "Event");
    const int32_t s = slicc_value_place(states, state), e = slicc_value_place(events, event);
    assert_true(s >= 0 && e >= 0);
    return slicc_needs_of(&needs, d)[(uint32_t)s * events->value_count + (uint32_t)e];
}

/* ---- A cache beside the core and a memory that answers it. */

#define TYPES                                                                                      \
    "enumeration(AskType) { Get; Drop; Odd; }\n"                                                   \
    "enumeration(ToldType) { Data; Gone; Strange; }\n"                                             \
    "structure(AskMsg, interface=\"Message\") { Addr addr; AskType Type; }\n"                      \
    "structure(ToldMsg, interface=\"Message\") { Addr addr; ToldType Type; }\n"

#define CACHE(flush_trigger)                                                                       \
    "machine(MachineType:L1Cache, \"\") : CacheMemory * cache; {\n"                                \
    "state_declaration(State, default=\"L1Cache_State_I\") { I, AccessPermission:Busy; V, "        \
    "AccessPermission:Busy; F, AccessPermission:Busy; X, AccessPermission:Busy; }\n"               \
    "enumeration(Event) { Load; Flush; Replacement; Data; Gone; Strange; }\n"                      \
    "in_port(core_in, RubyRequest, mandatoryQueue) {\n"                                            \
    "  peek(core_in, RubyRequest) {\n"                                                             \
    "    if (in_msg.Type == RubyRequestType:FLUSH) {\n"                                            \
    "      " flush_trigger "\n"                                                                    \
    "    } else if (cache.cacheAvail(in_msg.LineAddress) == false) {\n"                            \
    "      trigger(Event:Replacement, in_msg.LineAddress);\n"                                      \
    "    } else { trigger(Event:Load, in_msg.LineAddress); }\n"                                    \
    "  }\n"                                                                                        \
    "}\n"                                                                                          \
    "in_port(told_in, ToldMsg, told) {\n"                                                          \
    "  peek(told_in, ToldMsg) {\n"                                                                 \
    "    if (in_msg.Type == ToldType:Data) { trigger(Event:Data, in_msg.addr); }\n"                \
    "    else if (in_msg.Type == ToldType:Gone) { trigger(Event:Gone, in_msg.addr); }\n"           \
    "    else { trigger(Event:Strange, in_msg.addr); }\n"                                          \
    "  }\n"                                                                                        \
    "}\n"                                                                                          \
    "out_port(ask_out, AskMsg, ask);\n"                                                            \
    "action(get) { enqueue(ask_out, AskMsg, 1) { out_msg.Type := AskType:Get; } }\n"               \
    "action(drop) { enqueue(ask_out, AskMsg, 1) { out_msg.Type := AskType:Drop; } }\n"             \
    "transition(I, Load, V) { get; }\n"                                                            \
    "transition(V, Load) {}\n"                                                                     \
    "transition(V, Data) {}\n"                                                                     \
    "transition(V, Replacement, I) {}\n"                                                           \
    "transition({I, V}, Flush, F) { drop; }\n"                                                     \
    "transition(F, Gone, I) {}\n"                                                                  \
    "transition(F, Data) {}\n"                                                                     \
    "transition(V, Strange) {}\n"                                                                  \
    "transition(X, Load) {}\n"                                                                     \
    "}\n"

#define MEMORY(choice)                                                                             \
    "machine(MachineType:Directory, \"\") : bool x; {\n"                                           \
    "state_declaration(State, default=\"Directory_State_M\") { M, AccessPermission:Busy; }\n"      \
    "enumeration(Event) { Get; Drop; Odd; }\n" choice "out_port(told_out, ToldMsg, told);\n"       \
    "action(data) { enqueue(told_out, ToldMsg, 1) { out_msg.Type := ToldType:Data; } }\n"          \
    "action(gone) { enqueue(told_out, ToldMsg, 1) { out_msg.Type := ToldType:Gone; } }\n"          \
    "transition(M, Get) { data; }\n"                                                               \
    "transition(M, Drop) { gone; }\n"                                                              \
    "transition(M, Odd) {}\n"                                                                      \
    "}\n"

#define PORT(event)                                                                                \
    "in_port(ask_in, AskMsg, ask) {\n"                                                             \
    "  peek(ask_in, AskMsg) { trigger(" event ", in_msg.addr); }\n"                                \
    "}\n"

#define BY_FUNCTION                                                                                \
    "Event eventOf(bool first, AskType type) {\n"                                                  \
    "  if (type == AskType:Get) { return Event:Get; }\n"                                           \
    "  if (type != AskType:Drop) { return Event:Odd; }\n"                                          \
    "  return Event:Drop;\n"                                                                       \
    "}\n" PORT("eventOf(true, in_msg.Type)")

#define FLUSH "trigger(Event:Flush, in_msg.LineAddress);"

/* A flush goes over the memory and back; what nothing ever sends needs nothing a test could bring.
 */
static void needs_go_through_messages(void **state) {
    (void)state;
    find(TYPES CACHE(FLUSH) MEMORY(BY_FUNCTION));
    assert_int_equal(needs_of("L1Cache", "I", "Flush"), SL_NEEDS_FLUSHES);
    assert_int_equal(needs_of("L1Cache", "F", "Gone"), SL_NEEDS_FLUSHES);
    assert_int_equal(needs_of("L1Cache", "F", "Data"), SL_NEEDS_FLUSHES);
    assert_int_equal(needs_of("Directory", "M", "Drop"), SL_NEEDS_FLUSHES);
    assert_int_equal(needs_of("Directory", "M", "Get"), 0);
    assert_int_equal(needs_of("Directory", "M", "Odd"), 0);
    assert_int_equal(needs_of("L1Cache", "V", "Strange"), 0);
    assert_int_equal(needs_of("L1Cache", "X", "Load"), 0);
    assert_int_equal(needs_of("L1Cache", "V", "Load"), 0);
}

static void replacements_need_a_cache_without_room(void **state) {
    (void)state;
    find(TYPES CACHE(FLUSH) MEMORY(BY_FUNCTION));
    assert_int_equal(needs_of("L1Cache", "V", "Replacement"), UINT32_C(1) << SL_NEEDS_REPLACEMENT);
    find(TYPES MEMORY(BY_FUNCTION) CACHE(FLUSH)); /* a bit for each machine, in their order */
    assert_int_equal(needs_of("L1Cache", "V", "Replacement"), UINT32_C(1)
                                                                  << (SL_NEEDS_REPLACEMENT + 1));
}

/* An event that is not written out may be any; so may the type that a function is given changed. */
static void what_is_not_understood_needs_nothing(void **state) {
    static const char *const memories[] = {
        MEMORY(PORT("unknown(in_msg.Type)")),
        MEMORY("Event eventOf(AskType type) {\n"
               "  type := AskType:Odd;\n"
               "  if (type == AskType:Get) { return Event:Get; }\n"
               "  return Event:Drop;\n"
               "}\n" PORT("eventOf(in_msg.Type)")),
        MEMORY("Event eventOf(AskType type) { Event e := Event:Get; return e; }\n" PORT(
            "eventOf(in_msg.Type)"))};
    (void)state;
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        char text[8192];
        (void)snprintf(text, sizeof text, "%s%s", TYPES CACHE(FLUSH), memories[i]);
        find(text);
        assert_int_equal(needs_of("Directory", "M", "Drop"), 0);
        assert_int_equal(needs_of("L1Cache", "I", "Flush"), SL_NEEDS_FLUSHES);
    }
}

/* A kind that a function, a variable or a default names may be in any message. */
static void kinds_named_outside_actions_always_come_up(void **state) {
    static const char *const mentions[] = {
        "AskType other() { return AskType:Drop; }\n" BY_FUNCTION,
        "AskType kept := AskType:Drop;\n" BY_FUNCTION,
        "structure(Kept) { AskType kept, default=\"AskType_Drop\"; }\n" BY_FUNCTION};
    (void)state;
    for (size_t i = 0; i < sizeof mentions / sizeof mentions[0]; i++) {
        char text[8192];
        (void)snprintf(text, sizeof text, "%s%s%s%s", TYPES CACHE(FLUSH),
                       "machine(MachineType:Directory, \"\") : bool x; {\n"
                       "state_declaration(State, default=\"Directory_State_M\") { M, "
                       "AccessPermission:Busy; }\n"
                       "enumeration(Event) { Get; Drop; Odd; }\n",
                       mentions[i], "transition(M, {Get, Drop, Odd}) {}\n}\n");
        find(text);
        assert_int_equal(needs_of("Directory", "M", "Drop"), 0);
    }
}

/* Conditions are cut by what is compared, whichever way it is written. */
static void conditions_narrow_what_a_message_can_be(void **state) {
    static const struct {
        const char *condition;
        uint32_t flush, load; /* what the branches need */
    } rows[] = {
        {"in_msg.Type == RubyRequestType:FLUSH", SL_NEEDS_FLUSHES, 0},
        {"RubyRequestType:FLUSH == in_msg.Type", SL_NEEDS_FLUSHES, 0},
        {"(in_msg.Type != RubyRequestType:FLUSH) == false", SL_NEEDS_FLUSHES, 0},
        {"!(in_msg.Type != RubyRequestType:FLUSH)", SL_NEEDS_FLUSHES, 0},
        {"in_msg.Type == RubyRequestType:FLUSH && in_msg.Size > 1", SL_NEEDS_FLUSHES, 0},
        {"in_msg.Type == RubyRequestType:FLUSH || in_msg.Size > 1", 0, 0},
        {"in_msg.Type == RubyRequestType:IFETCH", SL_NEEDS_FETCHES, 0},
        {"in_msg.Type == RubyRequestType:ATOMIC", SL_NEEDS_ATOMICS, 0},
        {"in_msg.Type == RubyRequestType:Acquire", SL_NEEDS_FENCES, 0},
        {"in_msg.Type != RubyRequestType:ST", 0, SL_NEEDS_STORES},
        {"in_msg.Size == 1", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[4096];
        (void)snprintf(
            text, sizeof text,
            "machine(MachineType:L1Cache, \"\") : bool x; {\n"
            "state_declaration(State, default=\"L1Cache_State_I\") { I, AccessPermission:Busy; }\n"
            "enumeration(Event) { Flush; Load; }\n"
            "in_port(core_in, RubyRequest, mandatoryQueue) {\n"
            "  peek(core_in, RubyRequest) {\n"
            "    if (%s) { trigger(Event:Flush, in_msg.LineAddress); }\n"
            "    else { trigger(Event:Load, in_msg.LineAddress); }\n"
            "  }\n"
            "}\n"
            "transition(I, {Flush, Load}) {}\n"
            "}\n",
            rows[i].condition);
        find(text);
        const uint32_t flush = needs_of("L1Cache", "I", "Flush");
        const uint32_t load = needs_of("L1Cache", "I", "Load");
        if (flush != rows[i].flush || load != rows[i].load)
            fail_msg("%s: %u and %u", rows[i].condition, flush, load);
    }
}

/* ---- Prefetches come from a second queue of requests. */

#define PREFETCHING(first, second)                                                                 \
    "machine(MachineType:L1Cache, \"\") : CacheMemory * cache; {\n"                                \
    "state_declaration(State, default=\"L1Cache_State_I\") { I, AccessPermission:Busy; P, "        \
    "AccessPermission:Busy; }\n"                                                                   \
    "enumeration(Event) { Load; Prefetch; }\n"                                                     \
    "in_port(one_in, RubyRequest, " first ") {\n"                                                  \
    "  peek(one_in, RubyRequest) { trigger(Event:Load, in_msg.LineAddress); }\n"                   \
    "}\n"                                                                                          \
    "in_port(two_in, RubyRequest, " second ") {\n"                                                 \
    "  peek(two_in, RubyRequest) { trigger(Event:Prefetch, in_msg.LineAddress); }\n"               \
    "}\n"                                                                                          \
    "transition(I, Load) {}\n"                                                                     \
    "transition(I, Prefetch, P) {}\n"                                                              \
    "transition(P, Load, I) {}\n"                                                                  \
    "}\n"

static void a_second_queue_of_requests_needs_prefetches(void **state) {
    (void)state;
    find(PREFETCHING("mandatoryQueue", "prefetchQueue"));
    assert_int_equal(needs_of("L1Cache", "I", "Load"), 0);
    assert_int_equal(needs_of("L1Cache", "I", "Prefetch"), SL_NEEDS_PREFETCHES);
    assert_int_equal(needs_of("L1Cache", "P", "Load"), SL_NEEDS_PREFETCHES);
    find(PREFETCHING("optionalQueue", "mandatoryQueue")); /* the name decides */
    assert_int_equal(needs_of("L1Cache", "I", "Load"), SL_NEEDS_PREFETCHES);
    assert_int_equal(needs_of("L1Cache", "I", "Prefetch"), 0);
    find(PREFETCHING("mandatoryQueue", "mandatoryQueue")); /* one queue, two ports */
    assert_int_equal(needs_of("L1Cache", "I", "Prefetch"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needs_go_through_messages),
        cmocka_unit_test(replacements_need_a_cache_without_room),
        cmocka_unit_test(what_is_not_understood_needs_nothing),
        cmocka_unit_test(kinds_named_outside_actions_always_come_up),
        cmocka_unit_test(conditions_narrow_what_a_message_can_be),
        cmocka_unit_test(a_second_queue_of_requests_needs_prefetches),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
