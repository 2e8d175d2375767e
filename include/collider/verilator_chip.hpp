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
 */
#ifndef COLLIDER_VERILATOR_CHIP_HPP
#define COLLIDER_VERILATOR_CHIP_HPP

#include <collider/verilator_bus_in_order.hpp>

#include <tuple>

namespace collider {

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
        return COL_OK;
    }

    col_status load(const col_program *program, col_problem *problem) {
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

    void run_cycles(instance &i, uint64_t seed, const volatile int *stop, col_run &run) {
        chance luck{seed};
        this->begin_inputs(seed);
        uint32_t count = 0;
        std::apply(
            [&](auto &...bus) {
                (bus.begin(memory, luck.next(), agent_settings.stalls, count++), ...);
            },
            buses);
        bool goes = true;
        for (run.cycles = 0;
             goes && this->may_go_on("image", run.cycles % 64 == 0 ? stop : nullptr, run);
             run.cycles++) {
            this->drive_inputs(i);
            std::apply([&](auto &...bus) { (bus.drive(*i.m), ...); }, buses);
            this->half_cycle(i, false);
            i.states.sample();
            std::apply([&](auto &...bus) { (bus.listen(*i.m), ...); }, buses);
            tap(*i.m);
            this->half_cycle(i, true);
            this->tell_points(i, run.cycles);
            goes = col_chip_end_cycle(memory);
        }
    }

    col_status run_instance(uint64_t seed, const col_observer *observer, const volatile int *stop,
                            col_run &run, col_problem *problem) {
        run.end = COL_RUN_COMPLETE;
        if (col_chip_hand_out(memory, observer, &run))
            return COL_OK;
        col_status status = col_chip_begin(memory, seed, observer, problem);
        if (status != COL_OK)
            return status;
        this->run_model(seed, observer, run, [&](instance &i) { run_cycles(i, seed, stop, run); });
        status = col_chip_end(memory, observer, &run, problem);
        base::tell_end(observer, run);
        return status;
    }

    col_chip *memory = nullptr;
    std::tuple<Buses...> buses;
};

} // namespace collider

#define COLLIDER_CHIP(Design, ...) COLLIDER_PLUGIN(#Design, collider::chip<Design, __VA_ARGS__>)

#endif
