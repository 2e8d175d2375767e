// SPDX-License-Identifier: MIT
// The drivers of buses (collider/verilator_bus.hpp and verilator_bus_in_order.hpp) at signals that
// are set by hand, for what our own chips do not ask for: bursts of all kinds, narrow and strobed,
// exclusive accesses, atomics. What they do to memory is compared with what the protocols say, byte
// by byte.
#include <collider/verilator_bus_in_order.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>

static std::map<uint64_t, uint8_t> held;  // by the driver's memory
static std::map<uint64_t, uint8_t> known; // as it should be

extern "C" bool col_chip_read(col_chip *, uint64_t address, uint32_t bytes, uint8_t *to) {
    for (uint32_t i = 0; i < bytes; i++)
        to[i] = held[address + i];
    return address < 0x100000;
}

extern "C" bool col_chip_write(col_chip *, uint64_t address, uint32_t bytes, const uint8_t *from,
                               uint64_t strobes) {
    for (uint32_t i = 0; i < bytes; i++)
        if ((strobes >> i & 1) != 0)
            held[address + i] = from[i];
    return address < 0x100000;
}

extern "C" void col_chip_ask(col_chip *, uint32_t, uint64_t, bool, uint64_t, uint32_t, uint64_t) {
}
extern "C" void col_chip_perform(col_chip *, uint32_t, uint64_t) {
}
extern "C" void col_chip_answer(col_chip *, uint32_t, uint64_t) {
}
extern "C" void col_chip_forget(col_chip *, uint32_t) {
}

static void check(bool is_true, const char *what) {
    if (is_true)
        return;
    std::fprintf(stderr, "buses: %s\n", what);
    std::exit(1);
}

static collider::chance luck{11};

struct axi_signals {
    uint8_t awvalid, awready, awid, awlen, awsize, awburst, awlock, wvalid, wready, wstrb, bvalid,
        bready, bid, bresp, arvalid, arready, arid, arlen, arsize, arburst, arlock, rvalid, rready,
        rid, rresp, rlast;
    uint32_t awaddr, araddr;
    uint64_t wdata, rdata;
};

#define SIGNAL(word)                                                                               \
    static auto &word(model &m) {                                                                  \
        return m.word;                                                                             \
    }

struct axi_bus {
    using model = axi_signals;
    static constexpr collider::bus_settings settings = {32, 64, 4, 1, 5, 20, true};
    SIGNAL(awvalid)
    SIGNAL(awready)
    SIGNAL(awid) SIGNAL(awaddr) SIGNAL(awlen) SIGNAL(awsize) SIGNAL(awburst) SIGNAL(awlock)
        SIGNAL(wvalid) SIGNAL(wready) SIGNAL(wdata) SIGNAL(wstrb) SIGNAL(bvalid) SIGNAL(bready)
            SIGNAL(bid) SIGNAL(bresp) SIGNAL(arvalid) SIGNAL(arready) SIGNAL(arid) SIGNAL(araddr)
                SIGNAL(arlen) SIGNAL(arsize) SIGNAL(arburst) SIGNAL(arlock) SIGNAL(rvalid)
                    SIGNAL(rready) SIGNAL(rid) SIGNAL(rdata) SIGNAL(rresp) SIGNAL(rlast)
};

static axi_signals a;
static collider::axi4<axi_bus> axi;

template <typename Seen> static void cycle_until(Seen seen) {
    for (int cycles = 0; cycles < 10000; cycles++) {
        axi.drive(a);
        const bool done = seen();
        axi.listen(a);
        if (done)
            return;
    }
    check(false, "the bus does not answer");
}

// The address of a beat, as AXI4's section on transfers has it.
static uint64_t beat_address(uint64_t start, uint32_t beat, uint32_t size, uint32_t length,
                             uint32_t kind) {
    const uint64_t number = UINT64_C(1) << size, aligned = start / number * number;
    if (kind == 0 || beat == 0)
        return start;
    const uint64_t next = aligned + beat * number;
    if (kind == 1)
        return next;
    const uint64_t all = number * length, low = start / all * all;
    return next >= low + all ? next - all : next;
}

static uint32_t axi_write(uint32_t at, uint32_t size, uint32_t length, uint32_t kind, bool locks,
                          bool keeps = true) {
    a.awvalid = 1, a.awaddr = at, a.awsize = uint8_t(size), a.awlen = uint8_t(length - 1);
    a.awburst = uint8_t(kind), a.awlock = locks, a.awid = 3;
    cycle_until([&] { return a.awready != 0; });
    a.awvalid = 0;
    for (uint32_t beat = 0; beat < length; beat++) {
        const uint64_t place = beat_address(at, beat, size, length, kind);
        const uint64_t end = place / (1u << size) * (1u << size) + (1u << size);
        a.wdata = luck.next(), a.wstrb = 0;
        for (uint64_t b = place; b < end; b++)
            if (locks || luck.below(4) != 0) {
                a.wstrb = uint8_t(a.wstrb | 1u << b % 8);
                if (keeps)
                    known[b] = uint8_t(a.wdata >> 8 * (b % 8));
            }
        a.wvalid = 1;
        cycle_until([&] { return a.wready != 0; });
        a.wvalid = 0;
    }
    a.bready = 1;
    cycle_until([&] { return a.bvalid != 0; });
    check(a.bid == 3, "B has another number");
    a.bready = 0;
    return a.bresp;
}

static uint32_t axi_read(uint32_t at, uint32_t size, uint32_t length, uint32_t kind, bool locks) {
    a.arvalid = 1, a.araddr = at, a.arsize = uint8_t(size), a.arlen = uint8_t(length - 1);
    a.arburst = uint8_t(kind), a.arlock = locks, a.arid = 3;
    cycle_until([&] { return a.arready != 0; });
    a.arvalid = 0;
    a.rready = 1;
    for (uint32_t beat = 0; beat < length; beat++) {
        cycle_until([&] { return a.rvalid != 0; });
        const uint64_t place = beat_address(at, beat, size, length, kind);
        const uint64_t end = place / (1u << size) * (1u << size) + (1u << size);
        for (uint64_t b = place; b < end; b++)
            check(uint8_t(a.rdata >> 8 * (b % 8)) == known[b], "AXI4 reads another byte");
        check((a.rlast != 0) == (beat + 1 == length), "RLAST comes with another beat");
        check(a.rid == 3, "R has another number");
    }
    a.rready = 0;
    return a.rresp;
}

static void try_axi() {
    axi.begin(nullptr, 5, 20, 0);
    for (int i = 0; i < 4000; i++) {
        const uint32_t kind = uint32_t(luck.below(3)), size = uint32_t(luck.below(4));
        const uint32_t length = kind == 2 ? 2u << luck.below(4) : 1 + uint32_t(luck.below(16));
        uint32_t at = uint32_t(luck.below(512));
        if (kind == 2)
            at = at >> size << size;
        const uint32_t answer = luck.below(2) == 0 ? axi_write(at, size, length, kind, false)
                                                   : axi_read(at, size, length, kind, false);
        check(answer == 0, "an access is not OKAY");
    }
    check(axi_read(64, 2, 1, 1, true) == 1, "an exclusive read is not EXOKAY");
    check(axi_write(64, 2, 1, 1, true) == 1, "an exclusive write is not EXOKAY");
    check(axi_write(64, 2, 1, 1, true, false) == 0, "a second exclusive write is EXOKAY");
    (void)axi_read(64, 2, 1, 1, true);
    for (int i = 0; i < 3; i++) // strobes are random
        (void)axi_write(64, 2, 1, 1, false);
    check(axi_write(64, 2, 1, 1, true, false) == 0, "a write between is not noticed");
    (void)axi_read(64, 2, 1, 1, false);
    check(axi_write(0x200000, 2, 1, 1, false) == 2, "a write to nowhere is not SLVERR");
}

struct tl_signals {
    uint8_t a_valid, a_ready, a_opcode, a_param, a_size, a_source, a_mask, d_valid, d_ready,
        d_opcode, d_size, d_source, d_denied;
    uint32_t a_address;
    uint64_t a_data, d_data;
};

struct tl_bus {
    using model = tl_signals;
    static constexpr collider::bus_settings settings = {32, 64, 4, 1, 5, 20, false};
    SIGNAL(a_valid)
    SIGNAL(a_ready)
    SIGNAL(a_opcode) SIGNAL(a_param) SIGNAL(a_size) SIGNAL(a_source) SIGNAL(a_address)
        SIGNAL(a_mask) SIGNAL(a_data) SIGNAL(d_valid) SIGNAL(d_ready) SIGNAL(d_opcode)
            SIGNAL(d_size) SIGNAL(d_source) SIGNAL(d_denied) SIGNAL(d_data)
};

static uint64_t tl_ask(uint8_t opcode, uint8_t param, uint8_t size, uint32_t at, uint64_t data,
                       uint8_t answer) {
    static collider::tilelink<tl_bus> tl;
    static tl_signals t;
    bool is_taken = false;
    t = {};
    tl.begin(nullptr, luck.next(), 20, 0);
    t.a_opcode = opcode, t.a_param = param, t.a_size = size, t.a_source = 5, t.a_address = at;
    t.a_data = data << 8 * (at % 8), t.d_ready = 1;
    t.a_mask = uint8_t(((1u << (1u << size)) - 1) << at % 8);
    for (int cycles = 0; cycles < 1000; cycles++) {
        t.a_valid = !is_taken;
        tl.drive(t);
        const bool done = t.d_valid != 0;
        is_taken = is_taken || t.a_ready != 0;
        tl.listen(t);
        if (!done)
            continue;
        check(t.d_opcode == answer && t.d_source == 5 && t.d_size == size, "D is another answer");
        return t.d_data >> 8 * (at % 8) & collider::mask_of(8u << size);
    }
    check(false, "TileLink does not answer");
    return 0;
}

static void try_tilelink() {
    enum { PUT = 0, ARITHMETIC = 2, LOGICAL = 3, GET = 4, HINT = 5 };
    const uint64_t old = 0xfffffff0, operand = 0x12;
    const struct {
        uint8_t opcode, param;
        uint64_t result;
    } rows[] = {
        {ARITHMETIC, 0, old},        {ARITHMETIC, 1, operand},    {ARITHMETIC, 2, operand},
        {ARITHMETIC, 3, old},        {ARITHMETIC, 4, 2},          {LOGICAL, 0, old ^ operand},
        {LOGICAL, 1, old | operand}, {LOGICAL, 2, old & operand}, {LOGICAL, 3, operand}};
    for (const uint32_t at : {0x40u, 0x44u})
        for (const auto &row : rows) {
            (void)tl_ask(PUT, 0, 2, at, old, 0);
            check(tl_ask(row.opcode, row.param, 2, at, operand, 1) == old,
                  "an atomic does not return the old word");
            check(tl_ask(GET, 0, 2, at, 0, 1) == row.result, "an atomic leaves another word");
        }
    (void)tl_ask(HINT, 0, 2, 0x40, 0, 2);
}

// Buses that answer in order: random accesses of 1 to 8 bytes, some strobes of whose writes are 0.
struct in_order_access {
    bool writes;
    uint32_t at, size;
    uint64_t data, strobes;
};

template <typename Ask> static void try_in_order(Ask ask) {
    held.clear();
    known.clear();
    for (int i = 0; i < 3000; i++) {
        in_order_access a{};
        a.writes = luck.below(2) == 0, a.size = uint32_t(luck.below(4));
        a.at = uint32_t(luck.below(64)) >> a.size << a.size;
        a.data = luck.next();
        a.strobes = luck.next() & collider::mask_of(1u << a.size) << a.at % 8;
        const uint64_t answer = ask(a);
        for (uint32_t b = a.at; b < a.at + (1u << a.size); b++)
            if (!a.writes)
                check(uint8_t(answer >> 8 * (b % 8)) == known[b], "a bus reads another byte");
            else if ((a.strobes >> b % 8 & 1) != 0)
                known[b] = uint8_t(a.data >> 8 * (b % 8));
    }
}

struct in_order_signals {
    uint8_t hwrite, htrans, hsize, hwstrb, hready, hresp, psel, penable, pwrite, pstrb, pready,
        pslverr, req, gnt, we, be, aid, atop, rvalid, rready, err, rid;
    uint32_t haddr, paddr, addr;
    uint64_t hwdata, hrdata, pwdata, prdata, wdata, rdata;
};

struct in_order_bus {
    using model = in_order_signals;
    static constexpr collider::bus_settings settings = {32, 64, 4, 1, 5, 20, false};
    SIGNAL(hwrite)
    SIGNAL(htrans)
    SIGNAL(hsize) SIGNAL(hwstrb) SIGNAL(hready) SIGNAL(hresp) SIGNAL(psel) SIGNAL(penable)
        SIGNAL(pwrite) SIGNAL(pstrb) SIGNAL(pready) SIGNAL(pslverr) SIGNAL(req) SIGNAL(gnt)
            SIGNAL(we) SIGNAL(be) SIGNAL(aid) SIGNAL(atop) SIGNAL(rvalid) SIGNAL(rready) SIGNAL(err)
                SIGNAL(rid) SIGNAL(haddr) SIGNAL(paddr) SIGNAL(addr) SIGNAL(hwdata) SIGNAL(hrdata)
                    SIGNAL(pwdata) SIGNAL(prdata) SIGNAL(wdata) SIGNAL(rdata)
};

static in_order_signals s;

// Cycles until it is so; the signals are as they were in that cycle.
template <typename Driver, typename Seen> static void wait_until(Driver &driver, Seen seen) {
    for (int cycles = 0; cycles < 10000; cycles++) {
        driver.drive(s);
        const bool done = seen();
        driver.listen(s);
        if (done)
            return;
    }
    check(false, "a bus does not answer");
}

static uint64_t ahb_ask(const in_order_access &a, bool fails = false) {
    static collider::ahb<in_order_bus> ahb;
    static bool is_begun = false;
    if (!is_begun)
        ahb.begin(nullptr, 7, 20, 0);
    is_begun = true;
    s.htrans = 2, s.hwrite = a.writes, s.haddr = a.at, s.hsize = uint8_t(a.size);
    wait_until(ahb, [] { return s.hready != 0; });
    s.htrans = 0, s.hwdata = a.data, s.hwstrb = uint8_t(a.strobes);
    bool was_error = false;
    wait_until(ahb, [&] {
        check(s.hready != 0 || !was_error, "an error of AHB takes more than two cycles");
        check(s.hready == 0 || (s.hresp != 0) == was_error, "an error of AHB takes one cycle");
        was_error = s.hresp != 0;
        return s.hready != 0;
    });
    check(was_error == fails, "AHB has another response");
    return s.hrdata;
}

static uint64_t apb_ask(const in_order_access &a) {
    static collider::apb<in_order_bus> apb;
    apb.begin(nullptr, luck.next(), 20, 0);
    s.psel = 1, s.penable = 0, s.pwrite = a.writes, s.paddr = a.at, s.pwdata = a.data;
    s.pstrb = uint8_t(a.strobes);
    apb.drive(s), apb.listen(s);
    s.penable = 1;
    wait_until(apb, [] { return s.pready != 0; });
    s.psel = s.penable = 0;
    apb.drive(s), apb.listen(s);
    return s.prdata;
}

static uint64_t obi_ask(const in_order_access &a, uint8_t atop = 0) {
    static collider::obi<in_order_bus> obi;
    obi.begin(nullptr, luck.next(), 20, 0);
    s.req = 1, s.we = a.writes, s.addr = a.at, s.wdata = a.data, s.aid = 5, s.atop = atop;
    s.be = uint8_t(a.writes ? a.strobes : 255), s.rready = 1;
    wait_until(obi, [] { return s.gnt != 0; });
    s.req = 0;
    wait_until(obi, [] { return s.rvalid != 0; });
    check(s.rid == 5, "OBI answers with another number");
    return s.rdata;
}

static void try_atomics_of_obi() {
    const struct {
        uint8_t atop;
        uint64_t result;
    } rows[] = {{0x20, 2},          {0x21, 18}, {0x24, 0xffffffe2}, {0x28, 0xfffffff2}, {0x2c, 16},
                {0x30, 0xfffffff0}, {0x34, 18}, {0x38, 18},         {0x3c, 0xfffffff0}};
    for (const auto &row : rows) {
        (void)obi_ask({true, 0x44, 2, UINT64_C(0xfffffff0) << 32, 0xf0});
        check(obi_ask({true, 0x44, 2, UINT64_C(18) << 32, 0xf0}, row.atop) >> 32 == 0xfffffff0,
              "an atomic of OBI does not return the old word");
        check(obi_ask({false, 0x44, 2, 0, 0}) >> 32 == row.result,
              "an atomic of OBI leaves another word");
    }
    (void)obi_ask({false, 0x44, 2, 0, 0}, 0x22);
    check(s.err != 0, "a load reserved of OBI is no error");
}

int main() {
    try_axi();
    try_tilelink();
    try_in_order([](const in_order_access &a) { return ahb_ask(a); });
    (void)ahb_ask({false, 0x200000, 2, 0, 0}, true);
    try_in_order([](const in_order_access &a) { return apb_ask(a); });
    try_in_order([](const in_order_access &a) { return obi_ask(a); });
    try_atomics_of_obi();
    std::puts("the drivers do as they should");
    return 0;
}
