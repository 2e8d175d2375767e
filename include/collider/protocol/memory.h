/* SPDX-License-Identifier: MIT */
/* Memory, for protocols that ask for it by function and not by message. */
#ifndef COLLIDER_PROTOCOL_MEMORY_H
#define COLLIDER_PROTOCOL_MEMORY_H

#include "collider/protocol/buffer.h"

static inline sl_buffer *sl_memory_queue(sl_controller *c) {
    if (COL_RARELY(c->memory_responses == NULL))
        sl_fail(c, "the controller has no queue for memory's answers", NULL);
    return c->memory_responses;
}

static inline void sl_memory_access(sl_controller *c, int32_t type, sl_machine_id sender,
                                    sl_address address, sl_cycles delay, const sl_data *data) {
    sl_check_delay(sl_memory_queue(c), delay);
    sl_memory_message *m = sl_message_new(c->system, SL_MEMORY_MESSAGE);
    const sl_message header = m->header;
    *m = (sl_memory_message){.addr = address, .Type = type, .Sender = sender};
    m->header = header;
    if (data != NULL)
        m->DataBlk = *data;
    c->system->services->send(c->memory_responses, &m->header, delay);
}

#endif
