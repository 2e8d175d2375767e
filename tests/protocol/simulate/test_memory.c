/* SPDX-License-Identifier: MIT */
/* Memory: whole blocks and parts of them, and what its answers have. */
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

enum { BLOCK = 0x1000, SENDER = 7 };

typedef struct fixture {
    sim_system *system;
    sl_buffer to_memory;
} fixture;

static sl_controller *directory_of(const sim_system *s) {
    for (uint32_t i = 0; i < s->base.controller_count; i++)
        if (s->controllers[i]->memory_responses != NULL)
            return s->controllers[i];
    return NULL;
}

static fixture make_fixture(void) {
    const run_shape shape = plain_shape(2, 0);
    fixture f = {.system = make_system(sim_built_in_find("mi"), &shape)};
    f.to_memory =
        (sl_buffer){.system = &f.system->base, .owner = directory_of(f.system), .network = -1};
    assert_non_null(f.to_memory.owner);
    return f;
}

static sl_memory_message ask(fixture *f, int32_t type, uint64_t address, int64_t length,
                             uint8_t fill) {
    sl_memory_message *request = sl_message_new(&f->system->base, SL_MEMORY_MESSAGE);
    const sl_message header = request->header;
    *request = (sl_memory_message){
        .header = header, .addr = address, .Type = type, .Sender = SENDER, .Len = length};
    memset(&request->DataBlk, fill, sizeof request->DataBlk);
    sl_message *answer = sim_memory_answer(&f->to_memory, request);
    const sl_memory_message copy = *(sl_memory_message *)(void *)answer;
    sl_message_release(&f->system->base, answer);
    return copy;
}

static uint8_t byte_of(const sl_memory_message *m, uint32_t i) {
    return ((const uint8_t *)&m->DataBlk)[i];
}

static void a_part_of_a_block_is_written(void **state) {
    fixture f = make_fixture();
    (void)ask(&f, SL_MEMORY_WB, BLOCK, 0, 0x11);
    const sl_memory_message written = ask(&f, SL_MEMORY_WB, BLOCK + 5, 3, 0x22);
    const sl_memory_message whole = ask(&f, SL_MEMORY_READ, BLOCK, 0, 0x33);
    for (uint32_t i = 0; i < SL_BLOCK_BYTES; i++) {
        assert_int_equal(byte_of(&whole, i), i >= 5 && i < 8 ? 0x22 : 0x11);
        assert_int_equal(byte_of(&written, i), 0); /* an acknowledgement has no data */
    }
    const sl_memory_message part = ask(&f, SL_MEMORY_READ, BLOCK + 4, 2, 0x33);
    assert_int_equal(byte_of(&part, 0), 0x11);
    assert_int_equal(byte_of(&part, 1), 0x22);
    assert_int_equal(byte_of(&part, 2), 0);
    sim_system_free(f.system);
}

static void an_answer_names_who_asked(void **state) {
    fixture f = make_fixture();
    const sl_memory_message m = ask(&f, SL_MEMORY_READ, BLOCK + 8, 8, 0);
    assert_int_equal(m.addr, BLOCK + 8);
    assert_int_equal(m.Type, SL_MEMORY_READ);
    assert_int_equal(m.OriginalRequestorMachId, SENDER);
    assert_int_equal(m.Sender, f.to_memory.owner->machine_id);
    assert_int_equal(m.Len, 0);
    sim_system_free(f.system);
}

typedef struct senseless {
    int32_t type;
    uint64_t address;
    int64_t length;
    const char *text;
} senseless;

static void senseless_requests_are_protocol_errors(void **state) {
    static const senseless requests[] = {
        {2, BLOCK, 0, "Directory asks memory but neither reads nor writes"},
        {SL_MEMORY_WB, BLOCK + 60, 8, "Directory asks memory but names bytes outside of the block"},
        {SL_MEMORY_READ, BLOCK, -1, "Directory asks memory but names bytes outside of the block"},
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        const senseless *request = &requests[i];
        fixture f = make_fixture();
        if (setjmp(f.system->escape) == 0) {
            (void)ask(&f, request->type, request->address, request->length, 0);
            fail_msg("%s is not refused", request->text);
        }
        assert_int_equal(f.system->failure.event.kind, COL_PROTOCOL_ERROR);
        assert_string_equal(f.system->failure.text, request->text);
        sim_system_free(f.system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_of_a_block_is_written),
        cmocka_unit_test(an_answer_names_who_asked),
        cmocka_unit_test(senseless_requests_are_protocol_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
