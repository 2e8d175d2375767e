// SPDX-License-Identifier: MIT
// mailboxes.sv as a design. The class `adapted` has the signals of two request ports (docs/rtl.md) and
// translates them into pulses and back whenever it is evaluated; to Collider it is the model.
#include "Vmailboxes.h"
#include <collider/verilator.hpp>

namespace {

constexpr uint32_t ports = 2, address_bits = 16, data_bits = 32, tag_bits = 4;

class adapted {
  public:
    CData clk = 0, rst = 0, broken = 0;
    CData request_valid = 0, request_ready = 0, request_operation = 0, request_width = 0;
    IData request_address = 0;
    QData request_data = 0;
    CData request_tag = 0;
    CData response_valid = 0, response_ready = 0, response_tag = 0;
    QData response_data = 0;

    adapted(VerilatedContext *context, const char *name) : inner(context, name) {
    }

    void eval() {
        if (clk != 0)
            take();
        inner.clk = clk;
        inner.rst = rst;
        inner.broken = broken;
        inner.eval();
        if (clk == 0)
            show();
    }

  private:
    struct mailbox {
        bool is_waiting = false; // for the result of a command
        uint32_t tag = 0;
    };

    // What the ports say before the edge.
    void show() {
        request_ready = response_valid = 0;
        for (uint32_t p = 0; p < ports; p++) {
            const bool is_busy = collider::get(inner.busy, p, 1) != 0;
            collider::put(request_ready, p, 1, rst == 0 && !mailboxes[p].is_waiting);
            collider::put(response_valid, p, 1, mailboxes[p].is_waiting && !is_busy);
            collider::put(response_tag, p * tag_bits, tag_bits, mailboxes[p].tag);
        }
        response_data = inner.result;
    }

    // What is taken at the edge.
    void take() {
        inner.go = 0;
        for (uint32_t p = 0; p < ports; p++) {
            mailbox &m = mailboxes[p];
            if (rst != 0)
                m.is_waiting = false;
            if (both(response_valid, response_ready, p))
                m.is_waiting = false;
            else if (both(request_valid, request_ready, p))
                post(m, p);
        }
        inner.eval(); // with the new inputs, before the edge
    }

    static bool both(CData valid, CData ready, uint32_t p) {
        return collider::get(valid, p, 1) != 0 && collider::get(ready, p, 1) != 0;
    }

    // Loads, stores and swaps have the numbers of the commands.
    void post(mailbox &m, uint32_t p) {
        m.is_waiting = true;
        m.tag = static_cast<uint32_t>(collider::get(request_tag, p * tag_bits, tag_bits));
        collider::put(inner.go, p, 1, 1);
        collider::put(inner.command, p * 2, 2, collider::get(request_operation, p * 4, 4));
        collider::put(inner.number, p * 10, 10,
                      collider::get(request_address, p * address_bits, address_bits) / 4);
        collider::put(inner.value, p * 32, 32, collider::get(request_data, p * 32, 32));
    }

    Vmailboxes inner;
    mailbox mailboxes[ports];
};

struct mailbox_design {
    using model = adapted;
    static const collider::settings settings;
    static auto &clock(model &m) { return m.clk; }
    static auto &reset(model &m) { return m.rst; }
    static void drive(model &m, uint32_t, uint64_t value) { m.broken = value != 0; }
    static auto &request_valid(model &m) { return m.request_valid; }
    static auto &request_ready(model &m) { return m.request_ready; }
    static auto &request_operation(model &m) { return m.request_operation; }
    static auto &request_width(model &m) { return m.request_width; }
    static auto &request_address(model &m) { return m.request_address; }
    static auto &request_data(model &m) { return m.request_data; }
    static auto &request_tag(model &m) { return m.request_tag; }
    static auto &response_valid(model &m) { return m.response_valid; }
    static auto &response_ready(model &m) { return m.response_ready; }
    static auto &response_tag(model &m) { return m.response_tag; }
    static auto &response_data(model &m) { return m.response_data; }
    static auto &invalidate_valid(model &) { return collider::absent; }
    static auto &invalidate_address(model &) { return collider::absent; }
    static auto &commit_valid(model &) { return collider::absent; }
    static auto &commit_tag(model &) { return collider::absent; }
    static auto &commit_old(model &) { return collider::absent; }
};

const collider::input inputs[] = {{"broken", 1, false, 0, 0, 0}};
const char *const no_modules[] = {nullptr};

collider::settings make_settings() {
    collider::settings s{};
    s.name = "mailboxes";
    s.model = COL_SC;
    s.geometry.block_bits = 3; /* there are no caches: any will do for tests whose locations compete */
    s.geometry.level_count = 1;
    s.geometry.levels[0] = {"none", 3, 2, 2};
    col_agent_default(&s.agents);
    s.agents.ports = ports;
    s.address_bits = address_bits;
    s.data_bits = data_bits;
    s.tag_bits = tag_bits;
    s.memory = 4096;
    s.limit = 200000;
    s.refuses = 1U << COL_ADD;
    s.reset_cycles = 4;
    s.private_modules = no_modules;
    s.inputs = inputs;
    s.input_count = 1;
    return s;
}

const collider::settings mailbox_design::settings = make_settings();

} // namespace

COLLIDER_DESIGN(mailbox_design)
