/* SPDX-License-Identifier: MIT */
/*
 * Memory behind the bus of a chip that Verilator made into a class (C++17, header only): drivers
 * for the buses of docs/rtl.md, each of a structure that names the chip's signals. A driver sets
 * the chip's inputs for a cycle by what it saw in earlier ones (drive), and after the model has
 * settled looks at what was taken (listen). collider/verilator_chip.hpp makes a design of them.
 */
#ifndef COLLIDER_VERILATOR_BUS_HPP
#define COLLIDER_VERILATOR_BUS_HPP

#include <collider/chip.h>
#include <collider/verilator.hpp>

#include <deque>
#include <type_traits>

namespace collider {

/* SplitMix64: when the memory answers, and in which order. */
class chance {
  public:
    explicit chance(uint64_t seed) : state(seed) {
    }
    uint64_t next() {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        return z ^ z >> 31;
    }
    uint64_t below(uint64_t count) {
        return next() % count;
    }

  private:
    uint64_t state;
};

struct bus_settings {
    uint32_t address_bits, data_bits, id_bits;
    uint32_t unit;    /* bytes that an address counts */
    uint32_t latency; /* cycles until an answer, at most */
    uint32_t stalls;  /* of a hundred chances to take or answer something, so many are let pass */
    bool interleaves; /* beats of reads with other numbers may come between those of one */
};

template <typename Signal> constexpr bool is_absent = std::is_same_v<Signal, absent_signal>;

/* A signal of at most 64 bits. */
template <typename Signal> uint64_t value_of(const Signal &signal) {
    return get(signal, 0, 64);
}

template <typename Signal> void set(Signal &signal, uint64_t value) {
    put(signal, 0, 64, value);
}

/* Of data: bytes from bit 0 on. */
template <typename Signal> void get_bytes(const Signal &signal, uint32_t count, uint8_t *to) {
    for (uint32_t i = 0; i < count; i += 4) {
        const uint64_t word = get(signal, 8 * i, 32);
        for (uint32_t b = 0; b < 4 && i + b < count; b++)
            to[i + b] = static_cast<uint8_t>(word >> 8 * b);
    }
}

template <typename Signal> void put_bytes(Signal &signal, uint32_t count, const uint8_t *from) {
    for (uint32_t i = 0; i < count; i += 4) {
        uint64_t word = 0;
        for (uint32_t b = 0; b < 4 && i + b < count; b++)
            word |= static_cast<uint64_t>(from[i + b]) << 8 * b;
        put(signal, 8 * i, std::min(32u, 8 * (count - i)), word);
    }
}

// ---- What is asked of memory.

enum class burst : uint8_t { fixed, increasing, wrapping };

/* TileLink's atomics: the numbers are 8 * opcode + param. */
enum class atomic : uint8_t {
    none,
    min = 16,
    max,
    min_unsigned,
    max_unsigned,
    add,
    exclusive_or = 24,
    inclusive_or,
    conjunction,
    swap
};

/* An access: some beats of the bus's width, with an answer. */
struct access {
    bool is_write = false, is_exclusive = false;
    bool is_performed = false, has_failed = false, is_granted = false /* exclusively */;
    burst order = burst::increasing;
    atomic operation = atomic::none;
    uint64_t id = 0, address = 0;
    uint32_t size = 0;  /* of a beat's part that is used: binary logarithm of its bytes */
    uint32_t whole = 0; /* of TileLink: the same of the whole access, for the answer */
    uint32_t beats = 1; /* of the access */
    uint32_t taken = 0; /* beats of data that have come, */
    uint32_t sent = 0;  /* and that have left */
    uint64_t due = 0;   /* the first cycle of the answer */
    uint64_t number = 0;
    std::vector<uint8_t> data;
    std::vector<uint64_t> strobes;
    bool has_data() const {
        return !is_write || taken == beats;
    }
};

constexpr uint64_t none = UINT64_MAX; /* in place of an access's number */

/* The memory behind a bus: what is under way, in the order that it was asked for, and the seeded
 * choice of what is answered when. Accesses with the same number are performed in order. */
class target {
  public:
    /* Strict: accesses with the same number are also answered in order, whatever they are. */
    target(const bus_settings &settings, bool strict)
        : s(settings), bytes(settings.data_bits / 8), luck(0), is_strict(strict) {
    }

    void begin(col_chip *to, uint64_t seed, uint32_t stalled, uint32_t number) {
        chip = to;
        which = number;
        luck = chance{seed};
        stalls = stalled;
        cycle = numbers = 0;
        under_way.clear();
        reserved.clear();
    }

    /* Takes the channel part in this cycle? */
    bool is_willing() {
        return stalls == 0 || luck.below(100) >= stalls;
    }
    bool has_room() const {
        return under_way.size() < most;
    }

    access &add(access made) {
        made.due = cycle + 1 + luck.below(s.latency + 1);
        made.number = numbers++;
        made.data.assign(std::size_t(std::max(made.beats, 1u)) * bytes, 0);
        made.strobes.assign(made.beats, 0);
        const uint64_t step = UINT64_C(1) << made.size, all = step * std::max(made.beats, 1u);
        const uint64_t least = made.order == burst::wrapping ? all : step;
        col_chip_ask(chip, which, made.number, made.is_write, made.address & ~(least - 1),
                     static_cast<uint32_t>(made.order == burst::fixed ? step : all), made.id);
        under_way.push_back(std::move(made));
        return under_way.back();
    }

    /* The data of a beat has come. */
    template <typename Data> void take(access &a, const Data &data, uint64_t strobes) {
        get_bytes(data, bytes, a.data.data() + std::size_t(a.taken) * bytes);
        a.strobes[a.taken++] = strobes;
        if (a.has_data())
            a.due = cycle + 1 + luck.below(s.latency + 1);
    }

    /* Some of them happen long before they are answered. */
    void settle() {
        for (access &a : under_way)
            if (!a.is_performed && a.has_data() && is_first(a) && luck.below(2) == 0)
                perform(a);
    }

    /* One that can be answered now, is wanted, and is not `except`; null: there is none. */
    template <typename Wanted> access *choose(Wanted wanted, const access *except = nullptr) {
        access *chosen = nullptr;
        uint32_t count = 0;
        for (access &a : under_way)
            if (&a != except && wanted(a) && a.has_data() && a.due <= cycle && is_first(a) &&
                luck.below(++count) == 0)
                chosen = &a;
        if (chosen != nullptr && !chosen->is_performed)
            perform(*chosen);
        return chosen;
    }

    access *find(uint64_t number) {
        for (access &a : under_way)
            if (a.number == number)
                return &a;
        return nullptr;
    }

    /* The access that is being answered, or another one that is from now on. */
    template <typename Wanted> access *next(uint64_t &number, Wanted wanted) {
        if (number != none)
            return find(number);
        access *a = is_willing() ? choose(wanted) : nullptr;
        number = a == nullptr ? none : a->number;
        return a;
    }

    /* It has been answered. */
    void finish(uint64_t &number) {
        col_chip_answer(chip, which, number);
        under_way.erase(std::find_if(under_way.begin(), under_way.end(),
                                     [&](const access &a) { return a.number == number; }));
        number = none;
    }

    /* The chip lets go of all that it asked for. */
    void forget() {
        col_chip_forget(chip, which);
        under_way.clear();
    }

    void end_cycle() {
        cycle++;
    }

    const uint8_t *beat_of(const access &a) const {
        return a.data.data() + std::size_t(a.sent) * bytes;
    }

    const bus_settings &s;
    const uint32_t bytes; /* of a beat */
    chance luck;

  private:
    static constexpr std::size_t most = 16;

    struct reservation {
        uint64_t id, address, bytes;
    };

    /* No older access with its number is before it: in the same direction, or unperformed. */
    bool is_first(const access &a) const {
        for (const access &other : under_way) {
            if (other.number == a.number)
                return true;
            if (other.id == a.id &&
                (is_strict || other.is_write == a.is_write || !other.is_performed))
                return false;
        }
        return true;
    }

    uint64_t address_of(const access &a, uint32_t beat) const {
        const uint64_t step = UINT64_C(1) << a.size, all = step * a.beats;
        uint64_t at = (a.address & ~(step - 1)) + step * beat;
        if (beat == 0 || a.order == burst::fixed)
            at = a.address;
        else if (a.order == burst::wrapping)
            at = (a.address & ~(all - 1)) + (at & (all - 1));
        return at & ~uint64_t(bytes - 1);
    }

    bool read(const access &a, uint32_t beat, uint8_t *to) {
        return col_chip_read(chip, address_of(a, beat), bytes, to);
    }

    bool write(const access &a, uint32_t beat) {
        const uint64_t at = address_of(a, beat);
        const uint8_t *from = a.data.data() + std::size_t(beat) * bytes;
        lose_reservations(at, bytes, a.strobes[beat]);
        bool is_there = true;
        for (uint32_t done = 0; done < bytes; done += 64) {
            const uint32_t count = std::min(bytes - done, 64u);
            is_there =
                col_chip_write(chip, at + done, count, from + done, a.strobes[beat]) && is_there;
        }
        return is_there;
    }

    void lose_reservations(uint64_t at, uint64_t count, uint64_t strobes) {
        if (strobes == 0)
            return;
        reserved.erase(std::remove_if(reserved.begin(), reserved.end(),
                                      [&](const reservation &r) {
                                          return r.address < at + count && at < r.address + r.bytes;
                                      }),
                       reserved.end());
    }

    void reserve(const access &a) {
        reserved.erase(std::remove_if(reserved.begin(), reserved.end(),
                                      [&](const reservation &r) { return r.id == a.id; }),
                       reserved.end());
        reserved.push_back({a.id, a.address, (UINT64_C(1) << a.size) * a.beats});
    }

    bool has_reservation(const access &a) const {
        for (const reservation &r : reserved)
            if (r.id == a.id && r.address == a.address)
                return true;
        return false;
    }

    void perform(access &a) {
        carry_out(a);
        col_chip_perform(chip, which, a.number);
    }

    void carry_out(access &a) {
        a.is_performed = true;
        if (a.operation != atomic::none) {
            perform_atomic(a);
            return;
        }
        if (a.is_exclusive && a.is_write)
            a.is_granted = has_reservation(a);
        for (uint32_t b = 0; b < a.beats; b++)
            if (!a.is_write)
                a.has_failed = !read(a, b, a.data.data() + std::size_t(b) * bytes) || a.has_failed;
            else if (!a.is_exclusive || a.is_granted)
                a.has_failed = !write(a, b) || a.has_failed;
        if (a.is_exclusive && !a.is_write) {
            a.is_granted = !a.has_failed;
            reserve(a);
        }
    }

    static uint64_t combine(atomic operation, uint64_t old, uint64_t operand, uint32_t count) {
        const uint32_t spare = 64 - 8 * count;
        const auto a = static_cast<int64_t>(old << spare),
                   b = static_cast<int64_t>(operand << spare);
        switch (operation) {
        case atomic::min:
            return a < b ? old : operand;
        case atomic::max:
            return a < b ? operand : old;
        case atomic::min_unsigned:
            return old < operand ? old : operand;
        case atomic::max_unsigned:
            return old < operand ? operand : old;
        case atomic::add:
            return old + operand;
        case atomic::exclusive_or:
            return old ^ operand;
        case atomic::inclusive_or:
            return old | operand;
        case atomic::conjunction:
            return old & operand;
        default:
            return operand;
        }
    }

    /* Of words of 1 to 8 bytes in a beat; the old beat is what is answered. */
    void perform_atomic(access &a) {
        const uint32_t count = 1u << a.size, at = static_cast<uint32_t>(a.address & (bytes - 1));
        std::vector<uint8_t> old(bytes);
        uint64_t before = 0, operand = 0;
        a.has_failed = !read(a, 0, old.data());
        for (uint32_t i = 0; i < count; i++) {
            before |= static_cast<uint64_t>(old[at + i]) << 8 * i;
            operand |= static_cast<uint64_t>(a.data[at + i]) << 8 * i;
        }
        const uint64_t after = combine(a.operation, before, operand, count);
        for (uint32_t i = 0; i < count; i++)
            a.data[at + i] = static_cast<uint8_t>(after >> 8 * i);
        a.strobes[0] = mask_of(count) << at;
        a.has_failed = !write(a, 0) || a.has_failed;
        a.data = old;
    }

    const bool is_strict;
    col_chip *chip = nullptr;
    uint32_t which = 0, stalls = 0;
    uint64_t cycle = 0, numbers = 0;
    std::deque<access> under_way;
    std::vector<reservation> reserved;
};

// ---- Protocols.

/* What all of them have. */
template <typename Bus, bool strict> class driver {
  public:
    using model = typename Bus::model;
    void begin(col_chip *chip, uint64_t seed, uint32_t stalls, uint32_t number) {
        memory.begin(chip, seed, stalls, number);
    }
    /* From now on chance is another one; what is under way stays. */
    void turn(uint64_t seed) {
        memory.luck = chance{seed};
    }

  protected:
    static constexpr uint32_t bytes = Bus::settings.data_bits / 8;
    static constexpr uint64_t all = mask_of(bytes >= 64 ? 64 : bytes);
    target memory{Bus::settings, strict};

    template <typename Signal> static uint64_t address_of(const Signal &signal) {
        return value_of(signal) * Bus::settings.unit;
    }
    static constexpr uint32_t whole_size() {
        uint32_t size = 0;
        while ((1u << size) < bytes)
            size++;
        return size;
    }
};

/* A request and an answer, each with valid and ready. */
template <typename Bus> class native : public driver<Bus, true> {
    using base = driver<Bus, true>;
    using base::all, base::bytes, base::memory;
    using typename base::model;

  public:
    void drive(model &m) {
        memory.settle();
        is_ready = memory.has_room() && memory.is_willing();
        set(Bus::request_ready(m), is_ready);
        const access *a = memory.next(sending, [](const access &) { return true; });
        set(Bus::response_valid(m), a != nullptr);
        if (a == nullptr)
            return;
        set(Bus::response_error(m), a->has_failed);
        set(Bus::response_id(m), a->id);
        put_bytes(Bus::response_data(m), bytes, memory.beat_of(*a));
    }

    void listen(model &m) {
        if (sending != none && takes_answers(m))
            memory.finish(sending);
        if (is_ready && value_of(Bus::request_valid(m)) != 0)
            take(m);
        memory.end_cycle();
    }

    void begin(col_chip *chip, uint64_t seed, uint32_t stalls, uint32_t number) {
        base::begin(chip, seed, stalls, number);
        sending = none;
    }

  private:
    static bool takes_answers(model &m) {
        if constexpr (is_absent<std::remove_reference_t<decltype(Bus::response_ready(m))>>)
            return true;
        else
            return value_of(Bus::response_ready(m)) != 0;
    }

    void take(model &m) {
        access a;
        a.is_write = value_of(Bus::request_write(m)) != 0;
        a.id = value_of(Bus::request_id(m));
        a.address = base::address_of(Bus::request_address(m));
        a.size = base::whole_size();
        access &made = memory.add(a);
        if (a.is_write)
            memory.take(made, Bus::request_data(m), value_of(Bus::request_strobe(m)) & all);
    }

    uint64_t sending = none; /* an access, until its answer is taken */
    bool is_ready = false;
};

/* Wishbone B4: classic cycles, or, if there is a stall, pipelined ones. A classic access is
 * answered while the chip holds it, and forgotten if it lets go. */
template <typename Bus> class wishbone : public driver<Bus, true> {
    using base = driver<Bus, true>;
    using base::all, base::bytes, base::memory;
    using typename base::model;

  public:
    void drive(model &m) {
        if constexpr (is_pipelined()) {
            stalls = !memory.has_room() || !memory.is_willing();
            set(Bus::stall(m), stalls);
        }
        access *a =
            memory.is_willing() ? memory.choose([](const access &) { return true; }) : nullptr;
        answers = a != nullptr;
        const bool fails = answers && a->has_failed && has_error();
        set(Bus::ack(m), answers && !fails);
        set(Bus::err(m), fails);
        if (!answers)
            return;
        put_bytes(Bus::dat_r(m), bytes, memory.beat_of(*a));
        uint64_t number = a->number;
        memory.finish(number);
    }

    void listen(model &m) {
        const bool asks = value_of(Bus::cyc(m)) != 0 && value_of(Bus::stb(m)) != 0;
        if constexpr (is_pipelined()) {
            if (asks && !stalls)
                take(m);
        } else {
            if (asks && !is_open && !answers)
                take(m);
            else if (!asks && is_open)
                memory.forget();
            is_open = asks && !answers;
        }
        memory.end_cycle();
    }

    void begin(col_chip *chip, uint64_t seed, uint32_t stalled, uint32_t number) {
        base::begin(chip, seed, stalled, number);
        answers = is_open = stalls = false;
    }

  private:
    static constexpr bool is_pipelined() {
        return !is_absent<std::remove_reference_t<decltype(Bus::stall(std::declval<model &>()))>>;
    }
    static constexpr bool has_error() {
        return !is_absent<std::remove_reference_t<decltype(Bus::err(std::declval<model &>()))>>;
    }

    void take(model &m) {
        access a;
        a.is_write = value_of(Bus::we(m)) != 0;
        a.address = base::address_of(Bus::adr(m));
        a.size = base::whole_size();
        access &made = memory.add(a);
        if (!a.is_write)
            return;
        if constexpr (is_absent<std::remove_reference_t<decltype(Bus::sel(m))>>)
            memory.take(made, Bus::dat_w(m), all);
        else
            memory.take(made, Bus::dat_w(m), value_of(Bus::sel(m)) & all);
    }

    bool answers = false, is_open = false, stalls = false;
};

/* AXI4, and what leaves signals out of it, such as AXI4-Lite. */
template <typename Bus> class axi4 : public driver<Bus, false> {
    using base = driver<Bus, false>;
    using base::all, base::bytes, base::memory;
    using typename base::model;

  public:
    void drive(model &m) {
        memory.settle();
        takes_read = memory.has_room() && memory.is_willing();
        takes_write = memory.has_room() && memory.is_willing();
        takes_data = !writing.empty() && memory.is_willing();
        set(Bus::arready(m), takes_read);
        set(Bus::awready(m), takes_write);
        set(Bus::wready(m), takes_data);
        drive_read(m);
        drive_written(m);
    }

    void listen(model &m) {
        if (reading != none && value_of(Bus::rready(m)) != 0)
            send_beat();
        if (written != none && value_of(Bus::bready(m)) != 0)
            memory.finish(written);
        if (takes_data && value_of(Bus::wvalid(m)) != 0)
            take_data(m);
        if (takes_write && value_of(Bus::awvalid(m)) != 0)
            writing.push_back(take(true, Bus::awid(m), Bus::awaddr(m), Bus::awlen(m),
                                   Bus::awsize(m), Bus::awburst(m), Bus::awlock(m)));
        if (takes_read && value_of(Bus::arvalid(m)) != 0)
            (void)take(false, Bus::arid(m), Bus::araddr(m), Bus::arlen(m), Bus::arsize(m),
                       Bus::arburst(m), Bus::arlock(m));
        memory.end_cycle();
    }

    void begin(col_chip *chip, uint64_t seed, uint32_t stalls, uint32_t number) {
        base::begin(chip, seed, stalls, number);
        reading = written = none;
        is_offered = false;
        writing.clear();
    }

  private:
    static constexpr uint64_t okay = 0, exclusive_okay = 1, target_error = 2;

    static uint64_t response_of(const access &a) {
        return a.has_failed ? target_error : a.is_exclusive && a.is_granted ? exclusive_okay : okay;
    }

    template <typename Id, typename Address, typename Length, typename Size, typename Burst,
              typename Lock>
    uint64_t take(bool is_write, const Id &id, const Address &address, const Length &length,
                  const Size &size, const Burst &order, const Lock &lock) {
        access a;
        a.is_write = is_write;
        a.is_exclusive = (value_of(lock) & 1) != 0;
        a.id = value_of(id);
        a.address = base::address_of(address);
        a.beats = static_cast<uint32_t>(value_of(length)) + 1;
        a.size = is_absent<Size> ? base::whole_size() : static_cast<uint32_t>(value_of(size));
        a.order = is_absent<Burst> ? burst::increasing : static_cast<burst>(value_of(order) & 3);
        return memory.add(a).number;
    }

    void take_data(model &m) {
        access &a = *memory.find(writing.front());
        memory.take(a, Bus::wdata(m), value_of(Bus::wstrb(m)) & all);
        if (a.has_data())
            writing.pop_front();
    }

    void drive_read(model &m) {
        access *a = reading == none ? nullptr : memory.find(reading);
        if (!is_offered && memory.is_willing() &&
            (a == nullptr || (Bus::settings.interleaves && memory.luck.below(2) == 0))) {
            access *other = memory.choose([](const access &x) { return !x.is_write; }, a);
            a = other != nullptr ? other : a;
        }
        set(Bus::rvalid(m), a != nullptr);
        if (a == nullptr)
            return;
        reading = a->number;
        is_offered = true;
        set(Bus::rid(m), a->id);
        set(Bus::rresp(m), response_of(*a));
        set(Bus::rlast(m), a->sent + 1 == a->beats);
        put_bytes(Bus::rdata(m), bytes, memory.beat_of(*a));
    }

    void send_beat() {
        access &a = *memory.find(reading);
        is_offered = false;
        if (++a.sent < a.beats)
            return;
        memory.finish(reading);
    }

    void drive_written(model &m) {
        const access *a = memory.next(written, [](const access &x) { return x.is_write; });
        set(Bus::bvalid(m), a != nullptr);
        if (a == nullptr)
            return;
        set(Bus::bid(m), a->id);
        set(Bus::bresp(m), response_of(*a));
    }

    uint64_t reading = none, written = none; /* numbers of accesses: on R, on B */
    bool is_offered = false;                 /* a beat is on R, and stays there */
    std::deque<uint64_t> writing;            /* whose data comes next */
    bool takes_read = false, takes_write = false, takes_data = false;
};

/* TileLink, uncached: Get, Put, and of TL-UH bursts, atomics and hints. */
template <typename Bus> class tilelink : public driver<Bus, true> {
    using base = driver<Bus, true>;
    using base::all, base::bytes, base::memory;
    using typename base::model;

  public:
    void drive(model &m) {
        memory.settle();
        is_ready = (memory.has_room() || taking != none) && memory.is_willing();
        set(Bus::a_ready(m), is_ready);
        const access *a = memory.next(sending, [](const access &) { return true; });
        set(Bus::d_valid(m), a != nullptr);
        if (a == nullptr)
            return;
        set(Bus::d_opcode(m), opcode_of(*a));
        set(Bus::d_size(m), a->whole);
        set(Bus::d_source(m), a->id);
        set(Bus::d_denied(m), a->has_failed);
        put_bytes(Bus::d_data(m), bytes, memory.beat_of(*a));
    }

    void listen(model &m) {
        if (sending != none && value_of(Bus::d_ready(m)) != 0)
            send_beat();
        if (is_ready && value_of(Bus::a_valid(m)) != 0)
            take(m);
        memory.end_cycle();
    }

    void begin(col_chip *chip, uint64_t seed, uint32_t stalls, uint32_t number) {
        base::begin(chip, seed, stalls, number);
        sending = taking = none;
    }

  private:
    enum { put_full, put_partial, arithmetic, logical, get_data, intent };
    enum { acknowledge, acknowledge_data, acknowledge_hint };

    static uint64_t opcode_of(const access &a) {
        if (a.operation != atomic::none || !a.is_write)
            return a.beats == 0 ? acknowledge_hint : acknowledge_data;
        return acknowledge;
    }

    void take(model &m) {
        if (taking == none)
            taking = begin_access(m);
        access &a = *memory.find(taking);
        if (a.is_write)
            memory.take(a, Bus::a_data(m), value_of(Bus::a_mask(m)) & all);
        if (a.has_data())
            taking = none;
    }

    uint64_t begin_access(model &m) {
        const uint64_t opcode = value_of(Bus::a_opcode(m));
        access a;
        a.id = value_of(Bus::a_source(m));
        a.address = base::address_of(Bus::a_address(m));
        a.whole = static_cast<uint32_t>(value_of(Bus::a_size(m)));
        a.size = std::min(a.whole, base::whole_size());
        a.is_write = opcode != get_data && opcode != intent;
        a.beats = opcode == intent ? 0 : 1u << (a.whole - a.size);
        if (opcode == arithmetic || opcode == logical)
            a.operation = static_cast<atomic>(8 * opcode + value_of(Bus::a_param(m)));
        return memory.add(a).number;
    }

    /* Puts and hints have an answer of one beat. */
    void send_beat() {
        access &a = *memory.find(sending);
        if (++a.sent < a.beats && opcode_of(a) == acknowledge_data)
            return;
        memory.finish(sending);
    }

    uint64_t sending = none, taking = none; /* numbers of accesses: on D, and whose data comes */
    bool is_ready = false;
};

} // namespace collider

#endif
