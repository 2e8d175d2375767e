/* SPDX-License-Identifier: MIT */
/*
 * Memory behind buses that answer in order, AHB, APB and OBI: drivers like those of
 * collider/verilator_bus.hpp.
 */
#ifndef COLLIDER_VERILATOR_BUS_IN_ORDER_HPP
#define COLLIDER_VERILATOR_BUS_IN_ORDER_HPP

#include <collider/verilator_bus.hpp>

namespace collider {

/* AHB-Lite, or AHB5 with strobes. A transfer is asked for when its address phase ends, its data come
 * a cycle later; bursts are transfers one after the other. */
template <typename Bus> class ahb : public driver<Bus, true> {
    using base = driver<Bus, true>;
    using base::all, base::bytes, base::memory;
    using typename base::model;

  public:
    void drive(model &m) {
        const access *a = current == none || is_failing || !memory.is_willing()
                              ? nullptr
                              : memory.choose([](const access &) { return true; });
        const bool fails = a != nullptr && a->has_failed && has_response();
        is_ready = current == none || is_failing || (a != nullptr && !fails);
        set(Bus::hready(m), is_ready);
        set(Bus::hresp(m), fails || is_failing);
        is_failing = fails;
        if (a != nullptr)
            put_bytes(Bus::hrdata(m), bytes, memory.beat_of(*a));
    }

    void listen(model &m) {
        if (is_ready && current != none)
            memory.finish(current);
        access *a = current == none ? nullptr : memory.find(current);
        if (a != nullptr && !a->has_data())
            memory.take(*a, Bus::hwdata(m), strobes_of(m, *a));
        if (is_ready && (value_of(Bus::htrans(m)) & 2) != 0)
            take(m);
        memory.end_cycle();
    }

    void begin(col_chip *chip, uint64_t seed, uint32_t stalls, uint32_t number) {
        base::begin(chip, seed, stalls, number);
        current = none;
        is_ready = is_failing = false;
    }

  private:
    static constexpr bool has_response() {
        return !is_absent<std::remove_reference_t<decltype(Bus::hresp(std::declval<model &>()))>>;
    }

    static uint64_t strobes_of(model &m, const access &a) {
        const uint64_t lanes = mask_of(1u << a.size) << (a.address & (bytes - 1));
        if constexpr (is_absent<std::remove_reference_t<decltype(Bus::hwstrb(m))>>)
            return lanes & all;
        else
            return lanes & value_of(Bus::hwstrb(m)) & all;
    }

    void take(model &m) {
        access a;
        a.is_write = value_of(Bus::hwrite(m)) != 0;
        a.address = base::address_of(Bus::haddr(m));
        a.size = std::min(static_cast<uint32_t>(value_of(Bus::hsize(m))), base::whole_size());
        current = memory.add(a).number;
    }

    uint64_t current = none; /* the access whose data phase it is */
    bool is_ready = false, is_failing = false;
};

/* APB: an access is asked for in its setup phase. */
template <typename Bus> class apb : public driver<Bus, true> {
    using base = driver<Bus, true>;
    using base::all, base::bytes, base::memory;
    using typename base::model;

  public:
    void drive(model &m) {
        const access *a =
            memory.is_willing() ? memory.choose([](const access &) { return true; }) : nullptr;
        answers = a != nullptr;
        set(Bus::pready(m), answers);
        set(Bus::pslverr(m), answers && a->has_failed);
        if (answers)
            put_bytes(Bus::prdata(m), bytes, memory.beat_of(*a));
    }

    void listen(model &m) {
        if (value_of(Bus::psel(m)) == 0)
            memory.forget();
        else if (value_of(Bus::penable(m)) == 0)
            take(m);
        else if (answers)
            memory.forget(); /* the only one */
        memory.end_cycle();
    }

  private:
    void take(model &m) {
        access a;
        a.is_write = value_of(Bus::pwrite(m)) != 0;
        a.address = base::address_of(Bus::paddr(m));
        a.size = base::whole_size();
        memory.forget();
        access &made = memory.add(a);
        if (!a.is_write)
            return;
        if constexpr (is_absent<std::remove_reference_t<decltype(Bus::pstrb(m))>>)
            memory.take(made, Bus::pwdata(m), all);
        else
            memory.take(made, Bus::pwdata(m), value_of(Bus::pstrb(m)) & all);
    }

    bool answers = false;
};

/* OBI, with its atomics but LR and SC. */
template <typename Bus> class obi : public driver<Bus, true> {
    using base = driver<Bus, true>;
    using base::all, base::bytes, base::memory;
    using typename base::model;

  public:
    void drive(model &m) {
        memory.settle();
        is_ready = memory.has_room() && memory.is_willing();
        set(Bus::gnt(m), is_ready);
        const access *a = memory.next(sending, [](const access &) { return true; });
        set(Bus::rvalid(m), a != nullptr);
        if (a == nullptr)
            return;
        set(Bus::err(m), a->has_failed);
        set(Bus::rid(m), a->whole);
        put_bytes(Bus::rdata(m), bytes, memory.beat_of(*a));
    }

    void listen(model &m) {
        if (sending != none && takes_answers(m))
            memory.finish(sending);
        if (is_ready && value_of(Bus::req(m)) != 0)
            take(m);
        memory.end_cycle();
    }

    void begin(col_chip *chip, uint64_t seed, uint32_t stalls, uint32_t number) {
        base::begin(chip, seed, stalls, number);
        sending = none;
    }

  private:
    static bool takes_answers(model &m) {
        if constexpr (is_absent<std::remove_reference_t<decltype(Bus::rready(m))>>)
            return true;
        else
            return value_of(Bus::rready(m)) != 0;
    }

    /* As RISC-V numbers its atomics, with 32 for that it is one. */
    static atomic operation_of(uint64_t atop) {
        switch (atop) {
        case 0x20:
            return atomic::add;
        case 0x21:
            return atomic::swap;
        case 0x24:
            return atomic::exclusive_or;
        case 0x28:
            return atomic::inclusive_or;
        case 0x2c:
            return atomic::conjunction;
        case 0x30:
            return atomic::min;
        case 0x34:
            return atomic::max;
        case 0x38:
            return atomic::min_unsigned;
        case 0x3c:
            return atomic::max_unsigned;
        default:
            return atomic::none;
        }
    }

    void take(model &m) {
        access a;
        const uint64_t atop = value_of(Bus::atop(m)), enables = value_of(Bus::be(m)) & all;
        a.operation = operation_of(atop);
        a.is_write = value_of(Bus::we(m)) != 0 || a.operation != atomic::none;
        a.address = base::address_of(Bus::addr(m));
        a.size = base::whole_size();
        a.whole = static_cast<uint32_t>(value_of(Bus::aid(m)));
        if (a.operation != atomic::none) { /* its bytes are those that are enabled */
            a.size = 0;
            while (a.size < 3 && (enables >> lane_of(enables) & mask_of(2u << a.size)) ==
                                     mask_of(2u << a.size))
                a.size++;
            a.address = (a.address & ~uint64_t(bytes - 1)) + lane_of(enables);
        }
        access &made = memory.add(a);
        if (a.is_write)
            memory.take(made, Bus::wdata(m), enables);
        if (a.operation == atomic::none && (atop & 0x20) != 0)
            made.is_performed = made.has_failed = true;
    }

    static uint32_t lane_of(uint64_t enables) {
        uint32_t lane = 0;
        while (lane < bytes && (enables >> lane & 1) == 0)
            lane++;
        return lane == bytes ? 0 : lane;
    }

    uint64_t sending = none; /* an access, until its answer is taken */
    bool is_ready = false;
};

} // namespace collider

#endif
