/* SPDX-License-Identifier: MIT */
/* No bytes make the reader of recordings crash, what it accepts makes sense, and can be
 * written as a text or is refused.
 * The checksum is made good, else nothing behind it would ever be reached. */
#include "base/text.h"
#include "fuzz.h"
#include "judge/trace/trace.h"

/* The payload as a record. */
static void seal(const uint8_t *payload, size_t size, base_text *record) {
    uint8_t header[CHK_RECORDING_HEADER] = {0};
    uint8_t checksum[CHK_RECORDING_CHECKSUM];
    memcpy(header, chk_recording_magic, CHK_MAGIC);
    header[CHK_MAGIC] = CHK_RECORDING_VERSION;
    for (int i = 0; i < 8; i++)
        header[CHK_MAGIC + 4 + i] = (uint8_t)((uint64_t)size >> 8 * i);
    base_text_add_bytes(record, (const char *)header, sizeof header);
    if (size > 0)
        base_text_add_bytes(record, (const char *)payload, size);
    const uint64_t sum = chk_recording_checksum((const uint8_t *)record->data, record->length);
    for (int i = 0; i < CHK_RECORDING_CHECKSUM; i++)
        checksum[i] = (uint8_t)(sum >> 8 * i);
    base_text_add_bytes(record, (const char *)checksum, sizeof checksum);
}

static void check_events(const col_trace *trace) {
    col_problem problem;
    require(col_program_check(&trace->program, &problem) == COL_OK && trace->events != NULL);
    for (size_t i = 0; i < trace->event_count; i++) {
        const col_event *event = &trace->events[i];
        require(event->operation < col_program_operations(&trace->program));
        const col_kind_traits *traits =
            &col_kinds[trace->program.operations[event->operation].kind];
        require(event->kind == COL_STORE_PERFORMED ? traits->writes : traits->reads);
        require(event->source <= COL_FROM_MEMORY);
    }
}

/* It is written as a text that is read back, or refused with a sentence. */
static void check_text(const col_trace *trace) {
    static col_trace again = COL_TRACE_EMPTY;
    base_text text = {0};
    col_problem problem = {0};
    const col_status status = chk_trace_print(trace, &text, &problem);
    if (status == COL_OK)
        require(col_trace_read(&again, text.data, text.length, "again", &problem) == COL_OK);
    else
        require(status == COL_BAD_INPUT && problem.message[0] != '\0');
    base_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static col_trace trace = COL_TRACE_EMPTY;
    base_text record = {0};
    col_problem problem = {0};
    uint64_t length = 0, offset = 0;
    bool found = true;
    /* The corpus has whole recordings: of those the payload counts. */
    if (size >= CHK_RECORDING_HEADER + CHK_RECORDING_CHECKSUM && chk_is_recording(data, size))
        seal(data + CHK_RECORDING_HEADER, size - CHK_RECORDING_HEADER - CHK_RECORDING_CHECKSUM,
             &record);
    else
        seal(data, size, &record);
    const uint8_t *bytes = (const uint8_t *)record.data;
    require(chk_recording_length(bytes, "fuzz", &length, &problem) == COL_OK);
    require(length == record.length);
    while (found) {
        const uint64_t before = offset;
        const col_status status =
            chk_recording_read(bytes, record.length, "fuzz", &offset, &trace, &found, &problem);
        require(status == COL_OK ||
                (status == COL_BAD_INPUT && !found && problem.message[0] != '\0'));
        require(!found || offset > before);
        if (!found)
            continue;
        check_events(&trace);
        check_text(&trace);
    }
    base_text_free(&record);
    return 0;
}
