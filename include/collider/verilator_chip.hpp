/* SPDX-License-Identifier: MIT */
/*
 * A whole chip in Verilog, made into a class by Verilator, as a design (C++17, header only): memory
 * and devices are collider/chip.h's, at the chip's bus; docs/rtl.md has the buses. What `collider
 * run` makes of a design file with a bus includes this header. Whoever writes such a file by hand
 * says what the signals are, as for collider/verilator.hpp, and for each bus:
 *
 *     struct my_bus {
 *         using model = Vdesign;
 *         static constexpr collider::bus_settings settings = {32, 64, 4, 1, 8, 10, false};
 *         static auto &awvalid(model &m) { return m.axi_awvalid; }
 *         ... and so on for each signal; collider::absent for those it does not have
 *     };
 *     COLLIDER_CHIP(my_design, collider::axi4<my_bus>)
 *
 * If the design also has `static std::vector<collider::piece> pieces(model &m)`, memory that is all
 * of the model's state and can be copied, tests boot once: see the boots of collider/chip.h.
 */
#ifndef COLLIDER_VERILATOR_CHIP_HPP
#define COLLIDER_VERILATOR_CHIP_HPP

#include <collider/verilator_bus_in_order.hpp>

#include <tuple>

namespace collider {

template <typename Design, typename = void> struct has_pieces : std::false_type {};
template <typename Design>
struct has_pieces<Design,
                  std::void_t<decltype(Design::pieces(std::declval<typename Design::model &>()))>>
    : std::true_type {};

template <typename Design, typename... Buses> class chip : public design<Design> {
    using base = design<Design>;
    using typename base::instance;
    using typename base::model;

  public:
    ~chip() {
        col_chip_free(memory);
    }

  private:
    template <typename What> friend struct interface_of;
    using base::agent_settings, base::covered, base::description;

    col_status prepare(const col_duv_settings &asked, col_problem *problem) {
        const settings &s = Design::settings;
        col_chip_settings own = Design::chip;
        col_status status = this->take_settings(asked, "harts", problem);
        own.harts = s.agents.ports;
        own.skew = agent_settings.skew;
        own.patience = agent_settings.patience;
        if (status == COL_OK)
            status = col_chip_new(&memory, &own, problem);
        if (status != COL_OK)
            return status;
        const uint32_t cores = description.cores; /* the platform may have more */
        col_chip_describe(memory, &description);
        description.cores = cores;
        description.least_operations = 32;
        description.most_operations = 512;
        description.instances = own.rounds > 1 ? own.rounds : 3;
        instance first{1, true};
        covered.describe(first.bins, s, description);
        description.boots = !pieces_of(*first.m).empty() && own.rounds == 1;
        return COL_OK;
    }

    static std::vector<piece> pieces_of(model &m) {
        if constexpr (has_pieces<Design>::value)
            return Design::pieces(m);
        else
            return (void)m, std::vector<piece>{};
    }

    col_status load(const col_program *program, col_problem *problem) {
        kept.reset();
        return col_chip_load(memory, program, problem);
    }

    void tap(model &m) {
        const uint32_t harts = Design::settings.agents.ports, taps = Design::taps;
        for (uint32_t h = 0; h < harts; h++)
            if (Design::commit_bits != 0 && get(Design::commit_valid(m), h, 1) != 0)
                col_chip_commit(
                    memory, h,
                    get(Design::commit_pc(m), h * Design::commit_bits, Design::commit_bits),
                    get(Design::commit_old(m), h * Design::old_bits, Design::old_bits));
        for (uint32_t t = 0; t < harts * taps; t++)
            if (get(Design::retire_valid(m), t, 1) != 0)
                col_chip_retire(
                    memory, t / taps,
                    get(Design::retire_pc(m), t * Design::pc_bits, Design::pc_bits),
                    static_cast<uint32_t>(get(Design::retire_register(m), t * Design::register_bits,
                                              Design::register_bits)),
                    get(Design::retire_value(m), t * Design::value_bits, Design::value_bits));
    }

    /* From here on, chance follows from this seed. */
    void turn(instance &i, uint64_t seed) {
        chance luck{seed};
        i.context->randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
        this->begin_inputs(seed);
        std::apply([&](auto &...bus) { (bus.turn(luck.next()), ...); }, *buses);
    }

    void run_cycles(instance &i, const volatile int *stop, col_run &run) {
        for (bool goes = true;
             goes && this->may_go_on("image", run.cycles % 64 == 0 ? stop : nullptr, run);
             run.cycles++) {
            this->drive_inputs(i);
            std::apply([&](auto &...bus) { (bus.drive(*i.m), ...); }, *buses);
            this->half_cycle(i, false);
            i.states.sample();
            std::apply([&](auto &...bus) { (bus.listen(*i.m), ...); }, *buses);
            tap(*i.m);
            this->half_cycle(i, true);
            this->tell_points(i, run.cycles);
            goes = col_chip_end_cycle(memory);
        }
    }

    /* A fresh model, from reset on. */
    void run_from_reset(instance &i, uint64_t seed, const volatile int *stop, col_run &run) {
        run.cycles = 0;
        uint32_t count = 0;
        std::apply(
            [&](auto &...bus) { (bus.begin(memory, 0, agent_settings.stalls, count++), ...); },
            *buses);
        turn(i, seed);
        run_cycles(i, stop, run);
    }

    // ---- Instances that go on from a boot. What is kept of it only spares repeating it.

    struct boot {
        uint64_t number, cycles = 0;
        instance i;
        std::vector<piece> pieces;
        std::vector<std::vector<char>> state;
        std::vector<uint32_t> counts; /* of the points */
        decltype(std::declval<state_watch>().keep()) states;
        std::unique_ptr<std::tuple<Buses...>> buses;

        explicit boot(uint64_t of) : number(of), i(of), pieces(pieces_of(*i.m)) {
        }
    };

    void keep(boot &b) {
        for (const piece &p : b.pieces)
            b.state.emplace_back(static_cast<char *>(p.data),
                                 static_cast<char *>(p.data) + p.bytes);
        for (const bin &point : b.i.bins)
            b.counts.push_back(*point.count);
        b.states = b.i.states.keep();
        b.buses = std::make_unique<std::tuple<Buses...>>(*buses);
    }

    void go_back(boot &b) {
        for (std::size_t p = 0; p < b.pieces.size(); p++)
            std::memcpy(b.pieces[p].data, b.state[p].data(), b.pieces[p].bytes);
        for (std::size_t p = 0; p < b.counts.size(); p++)
            *b.i.bins[p].count = b.counts[p];
        b.i.states.go_back(b.states);
        buses = std::make_unique<std::tuple<Buses...>>(*b.buses);
    }

    /* From reset to the second round. Afterwards it is kept, if it came there. */
    col_status run_boot(uint64_t number, bool is_instance, const col_observer *observer,
                        const volatile int *stop, col_run &run, col_problem *problem) {
        kept.reset();
        col_status status = col_chip_boot(memory, number, observer, problem);
        if (status != COL_OK)
            return status;
        std::unique_ptr<boot> made;
        this->watch(observer);
        covered.begin_telling();
        try {
            made = std::make_unique<boot>(number);
            try {
                this->reset(made->i);
                run_from_reset(made->i, number, stop, run);
            } catch (const complaint &c) {
                base::complain(c, run);
            }
            made->cycles = run.cycles;
            made->i.states.sample();
            if (is_instance)
                covered.add(made->i.bins);
        } catch (const complaint &c) { /* while it was made */
            base::complain(c, run);
        }
        status = col_chip_end(memory, observer, &run, problem);
        base::tell_end(observer, run);
        if (status != COL_OK || run.end != COL_RUN_COMPLETE || !col_chip_has_booted(memory))
            return status;
        keep(*made);
        kept = std::move(made);
        return col_chip_keep(memory, problem);
    }

    /* The second round of the boot that was kept. */
    col_status go_on(uint64_t seed, const col_observer *observer, const volatile int *stop,
                     col_run &run, col_problem *problem) {
        boot &b = *kept;
        bool is_whole = true;
        col_status status = col_chip_go_on(memory, seed, observer, problem);
        if (status != COL_OK)
            return status;
        Verilated::threadContextp(b.i.context.get());
        printed.clear();
        run.cycles = b.cycles;
        this->watch(observer);
        covered.begin_telling(b.i.bins);
        try {
            turn(b.i, seed);
            run_cycles(b.i, stop, run);
        } catch (const complaint &c) {
            base::complain(c, run);
            is_whole = false;
        }
        b.i.states.sample();
        covered.add(b.i.bins);
        if (!is_whole)
            kept.reset();
        status = col_chip_end(memory, observer, &run, problem);
        base::tell_end(observer, run);
        return status;
    }

    /* Bits 32 to 63 of a seed are its boot; if the others are 0, it is the boot itself. A few
     * instances have one of their own, and no second round. */
    col_status run_instance(uint64_t seed, const col_observer *observer, const volatile int *stop,
                            col_run &run, col_problem *problem) {
        run.end = COL_RUN_COMPLETE;
        if (col_chip_hand_out(memory, observer, &run))
            return COL_OK;
        const bool boots = description.boots && col_chip_boots(memory);
        const col_status status = boots ? run_booted(seed, observer, stop, run, problem)
                                        : run_alone(seed, observer, stop, run, problem);
        if (!this->waves_path.empty())
            kept.reset(); /* which completes the file */
        return status;
    }

    col_status run_booted(uint64_t seed, const col_observer *observer, const volatile int *stop,
                          col_run &run, col_problem *problem) {
        const uint64_t number = seed >> 32, own = seed & UINT32_MAX;
        if (own == 0)
            return run_boot(number, true, observer, stop, run, problem);
        if (own % 64 == 0)
            return run_alone(seed, observer, stop, run, problem);
        if (kept != nullptr && kept->number == number) {
            go_back(*kept);
        } else {
            const col_status status = run_boot(number, false, nullptr, stop, run, problem);
            if (status != COL_OK || run.end == COL_RUN_STOPPED)
                return status;
        }
        if (kept != nullptr)
            return go_on(seed, observer, stop, run, problem);
        run.end = COL_RUN_COMPLETE; /* all instances fail as their boot does */
        return run_boot(number, true, observer, stop, run, problem);
    }

    col_status run_alone(uint64_t seed, const col_observer *observer, const volatile int *stop,
                         col_run &run, col_problem *problem) {
        col_status status = col_chip_begin(memory, seed, observer, problem);
        if (status != COL_OK)
            return status;
        this->run_model(seed, observer, run,
                        [&](instance &i) { run_from_reset(i, seed, stop, run); });
        status = col_chip_end(memory, observer, &run, problem);
        base::tell_end(observer, run);
        return status;
    }

    col_chip *memory = nullptr;
    std::unique_ptr<std::tuple<Buses...>> buses = std::make_unique<std::tuple<Buses...>>();
    std::unique_ptr<boot> kept;
};

} // namespace collider

#define COLLIDER_CHIP(Design, ...) COLLIDER_PLUGIN(#Design, collider::chip<Design, __VA_ARGS__>)

#endif
