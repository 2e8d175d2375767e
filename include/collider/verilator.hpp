/* SPDX-License-Identifier: MIT */
/*
 * A memory system in Verilog, made into a class by Verilator, as a design (C++17, header only). The
 * cores of collider/agent.h run test programs at its request ports; docs/rtl.md has the ports, and
 * what `collider run` makes of a design file of kind verilog includes this header. Whoever writes
 * such a file by hand says what the signals are, by a structure like this:
 *
 *     struct my_design {
 *         using model = Vdesign;
 *         static const collider::settings settings;
 *         static auto &clock(model &m) { return m.clk; }
 *         static auto &reset(model &m) { return m.rst; }
 *         static void drive(model &m, uint32_t input, uint64_t value) { ... }
 *         static auto &request_valid(model &m) { return m.request_valid; }
 *         ... and so on for each signal of the port; collider::absent for those it does not have
 *     };
 *     COLLIDER_DESIGN(my_design)
 *
 * One source file includes it; it takes the place of verilated_cov.cpp, and of vl_finish, vl_stop
 * and vl_fatal, so the runtime is compiled with VL_USER_FINISH, VL_USER_STOP, VL_USER_FATAL and
 * VL_PRINTF=collider_verilated_print.
 */
#ifndef COLLIDER_VERILATOR_HPP
#define COLLIDER_VERILATOR_HPP

#include <collider/agent.h>
#include <collider/duv.h>
#include <collider/verilator_points.hpp>

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <verilated.h>
#include <verilated_cov.h>
#if VM_TRACE
#include <verilated_fst_c.h>
/* The first cycle of an instance that waveforms are kept of; 0: from reset on. */
extern "C" COL_API uint64_t collider_waves_from;
uint64_t collider_waves_from = 0;
#endif

namespace collider {

// ---- Bits of signals.

/* In place of a signal that the memory system does not have. */
struct absent_signal {};
inline absent_signal absent;

constexpr uint64_t mask_of(uint32_t bits) {
    return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

/* At most 64 bits from bit `low` on. */
template <typename Word> uint64_t get(const Word &signal, uint32_t low, uint32_t bits) {
    return static_cast<uint64_t>(signal) >> low & mask_of(bits);
}

template <typename Word> void put(Word &signal, uint32_t low, uint32_t bits, uint64_t value) {
    const uint64_t mask = mask_of(bits) << low;
    signal = static_cast<Word>((signal & ~mask) | (value << low & mask));
}

template <std::size_t Words>
uint64_t get(const VlWide<Words> &signal, uint32_t low, uint32_t bits) {
    uint64_t value = 0;
    for (uint32_t done = 0; done < bits;) {
        const uint32_t at = low + done, shift = at % 32, count = std::min(bits - done, 32 - shift);
        value |= (signal[at / 32] >> shift & mask_of(count)) << done;
        done += count;
    }
    return value;
}

template <std::size_t Words>
void put(VlWide<Words> &signal, uint32_t low, uint32_t bits, uint64_t value) {
    for (uint32_t done = 0; done < bits;) {
        const uint32_t at = low + done, shift = at % 32, count = std::min(bits - done, 32 - shift);
        const uint32_t mask = static_cast<uint32_t>(mask_of(count) << shift);
        signal[at / 32] =
            (signal[at / 32] & ~mask) | (static_cast<uint32_t>(value >> done << shift) & mask);
        done += count;
    }
}

inline uint64_t get(const absent_signal &, uint32_t, uint32_t) {
    return 0;
}
inline void put(absent_signal &, uint32_t, uint32_t, uint64_t) {
}

// ---- What a design is.

/* An input of the top module that is no part of a port: of one value, which an option of the same
 * name may change, or of a new one in each cycle. */
struct input {
    const char *name;
    uint32_t bits;
    bool is_random;
    uint64_t low, high; /* of one value: `low` */
    uint32_t percent;   /* of cycles that have a random value; the others have `low` */
};

struct settings {
    const char *name;
    col_model model;
    col_geometry geometry;
    col_agent_settings agents;
    uint32_t address_bits, data_bits, tag_bits;
    uint64_t memory;  /* bytes that programs may use; 0: all that there are addresses for */
    uint64_t limit;   /* cycles of an instance */
    uint32_t refuses; /* kinds of operation: bit k for kind k */
    bool reset_is_low;
    uint32_t reset_cycles;
    const char *const
        *private_modules; /* controller i belongs to port i; ended by a null pointer */
    const input *inputs;
    uint32_t input_count;
    const observed *points = nullptr; /* besides cover points; may be a null pointer */
    bool starts_random = false;       /* what no reset sets is random, not 0 */
};

/* A part of a model's state. */
struct piece {
    void *data;
    std::size_t bytes;
};

// ---- What the runtime calls.

/* What the model of this thread has printed; the last line says why an assertion failed. */
inline thread_local std::string printed;

inline std::string last_line(const std::string &text) {
    const std::size_t end = text.find_last_not_of(" \n");
    if (end == std::string::npos)
        return "";
    const std::size_t begin = text.rfind('\n', end);
    return text.substr(begin == std::string::npos ? 0 : begin + 1,
                       end - (begin == std::string::npos ? std::size_t(-1) : begin));
}

// ---- Coverage: machines for each module with points, a controller for each instance.

/* a[2] comes before a[10]. */
inline bool comes_before(const std::string &a, const std::string &b) {
    std::size_t i = 0, j = 0;
    const auto number = [](const std::string &text, std::size_t &at) {
        const std::size_t begin = at;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9')
            at++;
        return std::pair(at - begin, text.substr(begin, at - begin));
    };
    while (i < a.size() && j < b.size()) {
        const auto x = number(a, i), y = number(b, j);
        if (x != y)
            return x < y;
        if (i < a.size() && j < b.size() && a[i] != b[j])
            return a[i] < b[j];
        i++;
        j++;
    }
    return a.size() - i < b.size() - j;
}

class coverage {
  public:
    void describe(const std::vector<bin> &bins, const settings &s, col_duv_description &d) {
        std::map<std::string, module> modules;
        for (const bin &b : bins)
            if (is_wanted(b, s.points))
                modules[b.machine].add(b);
        for (auto &[name, m] : modules)
            describe(name, m, is_among(s.private_modules, m.name) && m.paths.size() == d.cores);
        d.machines = machines.data();
        d.machine_count = static_cast<uint32_t>(machines.size());
        d.points = points.data();
        d.sources = sources.data();
        d.point_count = static_cast<uint32_t>(points.size());
        for (uint32_t i = 0; i < bins.size(); i++) {
            const bin &b = bins[i];
            if (!is_wanted(b, s.points))
                continue;
            const module &m = modules[b.machine];
            const uint32_t point = machines[m.number].first_point + m.labels.at(label(b)).number;
            const uint32_t controller = m.paths.at(b.path);
            counted.push_back({i, col_duv_functional(&d, m.number, controller, point), m.number,
                               controller, m.labels.at(label(b)).number, 0,
                               b.from == origin::cover || b.from == origin::state});
        }
        d.reachable_known = lists_transitions(s.points);
        hits.assign(col_duv_functional_count(&d), 0);
    }

    void add(const std::vector<bin> &bins) {
        for (const counter &c : counted)
            hits[c.functional] += *bins[c.bin].count;
    }

    /* An instance begins. */
    void begin_telling() {
        for (counter &c : counted)
            c.told = 0;
    }

    /* Likewise, with what was hit so far. */
    void begin_telling(const std::vector<bin> &bins) {
        for (counter &c : counted)
            c.told = *bins[c.bin].count;
    }

    /* What was hit since the last call. */
    void tell(const std::vector<bin> &bins, const col_observer *observer, uint64_t cycle) {
        for (counter &c : counted) {
            const uint32_t count = *bins[c.bin].count;
            if (count == c.told || !c.is_event)
                continue;
            c.told = count;
            col_event event{};
            event.kind = COL_POINT;
            event.cycle = cycle;
            event.machine = c.machine;
            event.controller = c.controller;
            event.event = c.point;
            observer->notice(observer->context, &event);
        }
    }

    void collect(uint64_t *to) {
        for (std::size_t i = 0; i < hits.size(); i++)
            to[i] += hits[i];
        std::fill(hits.begin(), hits.end(), 0);
    }

  private:
    struct counter {
        uint32_t bin, functional, machine, controller, point;
        uint32_t told; /* how often it was hit when that was last told */
        bool is_event; /* it says what happened, not which lines ran */
    };
    struct point {
        uint32_t number;
        std::string state, event, file;
        uint32_t line;
        bool is_possible;
    };
    struct module {
        uint32_t number = 0;
        std::string name;
        std::map<std::string, uint32_t, bool (*)(const std::string &, const std::string &)> paths{
            comes_before};
        std::map<std::string, point> labels; /* in the order that they are declared */
        void add(const bin &b) {
            name = b.module;
            paths[b.path] = 0;
            labels.insert({label(b),
                           {static_cast<uint32_t>(labels.size()), b.state, b.event, b.file, b.line,
                            b.is_possible}});
        }
    };

    static std::string label(const bin &b) {
        return b.state + " " + b.event;
    }

    const char *keep(const std::string &text) {
        texts.push_back(std::make_unique<std::string>(text));
        return texts.back()->c_str();
    }

    void describe(const std::string &name, module &m, bool is_private) {
        uint32_t controller = 0;
        for (auto &[path, number] : m.paths)
            number = controller++;
        m.number = static_cast<uint32_t>(machines.size());
        const std::size_t first = points.size();
        machines.push_back({keep(name), controller, is_private, static_cast<uint32_t>(first),
                            static_cast<uint32_t>(m.labels.size())});
        points.resize(first + m.labels.size());
        sources.resize(points.size());
        for (const auto &[key, p] : m.labels) {
            points[first + p.number] = {keep(p.state), keep(p.event), p.is_possible};
            sources[first + p.number] = {keep(p.file), p.line};
        }
    }

    std::vector<col_duv_machine> machines;
    std::vector<col_duv_point> points;
    std::vector<col_duv_source> sources;
    std::vector<std::unique_ptr<std::string>> texts;
    std::vector<counter> counted;
    std::vector<uint64_t> hits;
};

// ---- Problems.

inline col_status tell_problem(col_problem *problem, col_status status, const char *format, ...) {
    if (problem != nullptr) {
        va_list values;
        va_start(values, format);
        *problem = col_problem{};
        (void)std::vsnprintf(problem->message, sizeof problem->message, format, values);
        va_end(values);
    }
    return status;
}

inline col_status out_of_memory(col_problem *problem) {
    return tell_problem(problem, COL_FAILURE, "out of memory");
}

// ---- The design.

/* What a plug-in offers, of a design or a chip. */
template <typename What> struct interface_of {
    static col_status open(void **state, const col_duv_settings *asked, col_problem *problem) {
        try {
            auto made = std::make_unique<What>();
            const col_status status = made->prepare(*asked, problem);
            if (status == COL_OK)
                *state = made.release();
            return status;
        } catch (const complaint &c) {
            return tell_problem(problem, COL_BAD_INPUT, "the design complains before it runs: %s",
                                c.text.c_str());
        } catch (const std::bad_alloc &) {
            return out_of_memory(problem);
        }
    }

    static void close(void *state) {
        delete static_cast<What *>(state);
    }

    static const col_duv_description *describe(void *state) {
        return &static_cast<What *>(state)->description;
    }

    static col_status load(void *state, const col_program *program, col_problem *problem) {
        return static_cast<What *>(state)->load(program, problem);
    }

    static col_status run(void *state, uint64_t seed, const col_observer *observer,
                          const volatile int *stop, col_run *run, col_problem *problem) {
        try {
            return static_cast<What *>(state)->run_instance(seed, observer, stop, *run, problem);
        } catch (const typename What::unwritable &) {
            return tell_problem(problem, COL_FAILURE, "cannot write %.400s",
                                static_cast<What *>(state)->waves_path.c_str());
        } catch (const std::bad_alloc &) {
            return out_of_memory(problem);
        }
    }

    static void collect(void *state, uint64_t *hits) {
        static_cast<What *>(state)->covered.collect(hits);
    }
};

template <typename Design> class design {
  public:
    ~design() {
        col_agents_free(agents);
    }

  protected: /* of chips, too: collider/verilator_chip.hpp */
    template <typename What> friend struct interface_of;
    using model = typename Design::model;
    static constexpr uint32_t operation_bits = 4, width_bits = 2;

    struct unwritable {}; /* the file for waveforms */

#if VM_TRACE
    /* What happens to all signals, in a file. */
    class waves {
      public:
        void begin(VerilatedContext &context) {
            context.traceEverOn(true);
        }
        void open(model &m, const std::string &path) {
            m.trace(&file, 99);
            first = collider_waves_from == 0
                        ? 0
                        : 2 * (collider_waves_from + Design::settings.reset_cycles);
            if (path.empty())
                return;
            file.open(path.c_str());
            if (!file.isOpen())
                throw unwritable{};
        }
        void dump(uint64_t time) {
            if (time >= first && file.isOpen())
                file.dump(time);
        }

      private:
        VerilatedFstC file;
        uint64_t first = 0; /* of its units of time */
    };
#else
    struct waves {
        void begin(VerilatedContext &) {
        }
        void open(model &, const std::string &) {
        }
        void dump(uint64_t) {
        }
    };
#endif

    /* A model in a context of its own, made and destroyed in the right order. */
    struct instance {
        std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
        std::vector<bin> bins;
        std::unique_ptr<model> m;
        state_watch states;
        waves traced;

        /* Only the names of the first one's points are wanted. */
        explicit instance(uint64_t seed, bool names_points = false) {
            Verilated::threadContextp(context.get());
            context->randReset(Design::settings.starts_random ? 2 : 0);
            context->randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
            printed.clear();
            traced.begin(*context);
            wants_names = names_points;
            declared = &bins;
            m = std::make_unique<model>(context.get(), "TOP");
            declared = nullptr;
            states.declare(*context, Design::settings.points, bins);
        }
    };

    void half_cycle(instance &i, bool clock) {
        put(Design::clock(*i.m), 0, 1, clock);
        i.m->eval();
        i.traced.dump(i.context->time());
        i.context->timeInc(1);
    }

    // ---- Opening.

    /* What is asked for, as far as ports and harts have it alike. */
    col_status take_settings(const col_duv_settings &asked, const char *noun,
                             col_problem *problem) {
        const col_status status = read_options(asked.options, problem);
        if (status != COL_OK)
            return status;
        const settings &s = Design::settings;
        waves_path = asked.waves == nullptr ? "" : asked.waves;
        if (asked.cores > s.agents.ports)
            return tell_problem(problem, COL_BAD_INPUT, "the design %s has %u %s, not %u", s.name,
                                s.agents.ports, noun, asked.cores);
        description.name = s.name;
        description.cores = asked.cores != 0 ? asked.cores : s.agents.ports;
        description.model = s.model;
        description.packs = true;
        return COL_OK;
    }

    col_status prepare(const col_duv_settings &asked, col_problem *problem) {
        const col_status status = take_settings(asked, "ports", problem);
        if (status != COL_OK)
            return status;
        const settings &s = Design::settings;
        description.geometry = s.geometry;
        description.shows = agent_settings.tells_commits ? COL_SHOWS_EVENTS : COL_SHOWS_READS;
        description.merges = agent_settings.merges;
        description.is_narrow = s.data_bits < 64;
        description.refuses = s.refuses;
        description.window = s.memory;
        description.least_operations = 64;
        description.most_operations = 2048;
        description.instances = 3;
        instance first{1, true};
        covered.describe(first.bins, s, description);
        return col_agents_new(&agents, &agent_settings, problem);
    }

    col_status load(const col_program *program, col_problem *problem) {
        return col_agents_load(agents, program, problem);
    }

    bool set_number(const std::string &key, uint64_t value) {
        for (uint32_t i = 0; i < Design::settings.input_count; i++)
            if (key == Design::settings.inputs[i].name &&
                value <= mask_of(Design::settings.inputs[i].bits)) {
                inputs[i].is_random = false;
                inputs[i].low = value;
                return true;
            }
        if (key == "stalls" && value < 100)
            agent_settings.stalls = static_cast<uint32_t>(value);
        else if (key == "skew" && value <= UINT32_MAX)
            agent_settings.skew = static_cast<uint32_t>(value);
        else if (key == "patience")
            agent_settings.patience = value;
        else if (key == "limit")
            limit = value;
        else
            return false;
        return true;
    }

    /* "key=value,key=value": inputs by their names, and the settings of the cores. */
    col_status read_options(const char *options, col_problem *problem) {
        std::string rest = options == nullptr ? "" : options;
        while (!rest.empty()) {
            const std::size_t comma = rest.find(','), equals = rest.find('=');
            const std::string option = rest.substr(0, comma);
            char *end = nullptr;
            const char *digits = equals < option.size() ? option.c_str() + equals + 1 : "";
            const unsigned long long value = std::strtoull(digits, &end, 0);
            if (*digits < '0' || *digits > '9' || *end != '\0' ||
                !set_number(option.substr(0, equals), value))
                return refuse_option(option, problem);
            rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
        }
        return COL_OK;
    }

    static col_status refuse_option(const std::string &option, col_problem *problem) {
        std::string known;
        for (uint32_t i = 0; i < Design::settings.input_count; i++)
            known += std::string(Design::settings.inputs[i].name) + " (" +
                     std::to_string(Design::settings.inputs[i].bits) + " bits), ";
        return tell_problem(problem, COL_BAD_INPUT,
                            "'%.100s' is not an option of this design; they are numbers: "
                            "%.300sstalls, skew, patience and limit",
                            option.c_str(), known.c_str());
    }

    // ---- A cycle.

    struct sampled {
        bool has_request, is_ready;
    };

    void drive_inputs(instance &i) {
        for (uint32_t n = 0; n < inputs.size(); n++)
            if (inputs[n].is_random)
                Design::drive(*i.m, n, col_port_input_next(&drawn[n]));
    }

    void drive(instance &i) {
        drive_inputs(i);
        for (uint32_t p = 0; p < Design::settings.agents.ports; p++)
            offer(i, p);
    }

    void offer(instance &i, uint32_t p) {
        const settings &s = Design::settings;
        col_port_request request;
        ports[p].has_request = col_agents_offer(agents, p, &request);
        ports[p].is_ready = col_agents_takes(agents, p);
        put(Design::request_valid(*i.m), p, 1, ports[p].has_request);
        put(Design::response_ready(*i.m), p, 1, ports[p].is_ready);
        if (!ports[p].has_request)
            return;
        put(Design::request_operation(*i.m), p * operation_bits, operation_bits, request.operation);
        put(Design::request_width(*i.m), p * width_bits, width_bits, request.bytes == 8 ? 3 : 2);
        put(Design::request_address(*i.m), p * s.address_bits, s.address_bits, request.address);
        put(Design::request_data(*i.m), p * s.data_bits, s.data_bits, request.data);
        put(Design::request_tag(*i.m), p * s.tag_bits, s.tag_bits, request.tag);
    }

    /* What the port says before the edge holds for the cycle. */
    void listen(instance &i, uint32_t p) {
        const settings &s = Design::settings;
        model &m = *i.m;
        if (ports[p].has_request && get(Design::request_ready(m), p, 1) != 0)
            col_agents_accept(agents, p);
        if (ports[p].is_ready && get(Design::response_valid(m), p, 1) != 0)
            col_agents_answer(
                agents, p,
                static_cast<uint32_t>(get(Design::response_tag(m), p * s.tag_bits, s.tag_bits)),
                get(Design::response_data(m), p * s.data_bits, s.data_bits));
        if (agent_settings.tells_losses && get(Design::invalidate_valid(m), p, 1) != 0)
            col_agents_lose(agents, p,
                            get(Design::invalidate_address(m), p * s.address_bits, s.address_bits));
        if (agent_settings.tells_commits && get(Design::commit_valid(m), p, 1) != 0)
            col_agents_commit(
                agents, p,
                static_cast<uint32_t>(get(Design::commit_tag(m), p * s.tag_bits, s.tag_bits)),
                get(Design::commit_old(m), p * s.data_bits, s.data_bits));
    }

    // ---- An instance.

    void reset(instance &i) {
        const settings &s = Design::settings;
        i.traced.open(*i.m, waves_path);
        for (uint32_t n = 0; n < inputs.size(); n++)
            Design::drive(*i.m, n, inputs[n].low);
        put(Design::reset(*i.m), 0, 1, !s.reset_is_low);
        for (uint32_t cycle = 0; cycle < s.reset_cycles; cycle++) {
            half_cycle(i, false);
            half_cycle(i, true);
        }
        put(Design::reset(*i.m), 0, 1, s.reset_is_low);
        for (const bin &b : i.bins)
            *b.count = 0;
        i.states.begin();
    }

    /* True: neither the limit nor a stop ends it. */
    bool may_go_on(const char *what, const volatile int *stop, col_run &run) const {
        if (run.cycles >= limit) {
            run.end = COL_RUN_TIMED_OUT;
            (void)std::snprintf(run.message, sizeof run.message,
                                "the %s has not ended after %llu cycles", what,
                                static_cast<unsigned long long>(run.cycles));
        } else if (stop != nullptr && *stop != 0) {
            run.end = COL_RUN_STOPPED;
            (void)std::snprintf(run.message, sizeof run.message, "the run was stopped");
        } else {
            return true;
        }
        return false;
    }

    /* True: it goes on. */
    bool go_on(const volatile int *stop, col_run &run) {
        if (const char *trouble = col_agents_trouble(agents)) {
            run.end = col_agents_are_stuck(agents) ? COL_RUN_DEADLOCK : COL_RUN_PROTOCOL_ERROR;
            (void)std::snprintf(run.message, sizeof run.message, "%s", trouble);
        } else if (col_agents_are_done(agents)) {
            run.end = COL_RUN_COMPLETE;
        } else {
            return may_go_on("program", stop, run);
        }
        return false;
    }

    void begin_inputs(uint64_t seed) {
        for (uint32_t n = 0; n < inputs.size(); n++) {
            drawn[n] = {inputs[n].low, inputs[n].high, inputs[n].percent, 0, 0, 0, 0};
            col_port_input_begin(&drawn[n], seed, n);
        }
    }

    void run_cycles(instance &i, uint64_t seed, const volatile int *stop, col_run &run) {
        begin_inputs(seed);
        for (run.cycles = 0; go_on(stop, run); run.cycles++) {
            drive(i);
            half_cycle(i, false);
            i.states.sample();
            for (uint32_t p = 0; p < Design::settings.agents.ports; p++)
                listen(i, p);
            half_cycle(i, true);
            tell_points(i, run.cycles);
            col_agents_end_cycle(agents);
        }
    }

    /* To whoever asked what was hit in each cycle. */
    void tell_points(const instance &i, uint64_t cycle) {
        if (watcher != nullptr)
            covered.tell(i.bins, watcher, cycle);
    }

    void watch(const col_observer *observer) {
        watcher =
            observer != nullptr && (observer->kinds >> COL_POINT & 1) != 0 ? observer : nullptr;
    }

    /* Runs these cycles of a fresh model. */
    template <typename Cycles>
    void run_model(uint64_t seed, const col_observer *observer, col_run &run, Cycles cycles) {
        watch(observer);
        covered.begin_telling();
        try {
            instance i{seed};
            try {
                reset(i);
                cycles(i);
            } catch (const complaint &c) {
                complain(c, run);
            }
            i.states.sample();
            covered.add(i.bins);
        } catch (const complaint &c) { /* while it was made */
            complain(c, run);
        }
    }

    col_status run_instance(uint64_t seed, const col_observer *observer, const volatile int *stop,
                            col_run &run, col_problem *) {
        col_agents_begin(agents, seed, observer);
        run_model(seed, observer, run, [&](instance &i) { run_cycles(i, seed, stop, run); });
        run.operations = col_agents_performed(agents);
        tell_end(observer, run);
        return COL_OK;
    }

    static void complain(const complaint &c, col_run &run) {
        run.end = COL_RUN_INVARIANT;
        (void)std::snprintf(run.message, sizeof run.message, "%s", c.text.c_str());
    }

    static void tell_end(const col_observer *observer, const col_run &run) {
        col_event event{};
        event.kind = run.end == COL_RUN_DEADLOCK         ? COL_DEADLOCK
                     : run.end == COL_RUN_PROTOCOL_ERROR ? COL_PROTOCOL_ERROR
                     : run.end == COL_RUN_INVARIANT      ? COL_INVARIANT_BROKEN
                                                         : COL_EVENT_KINDS;
        event.cycle = run.cycles;
        event.message = run.message;
        if (observer != nullptr && event.kind != COL_EVENT_KINDS &&
            (observer->kinds >> event.kind & 1) != 0)
            observer->notice(observer->context, &event);
    }

    col_duv_description description{};
    std::string waves_path;
    const col_observer *watcher = nullptr;
    col_agent_settings agent_settings = Design::settings.agents;
    uint64_t limit = Design::settings.limit;
    std::vector<input> inputs{Design::settings.inputs,
                              Design::settings.inputs + Design::settings.input_count};
    std::vector<col_port_input> drawn = std::vector<col_port_input>(Design::settings.input_count);
    std::vector<sampled> ports{Design::settings.agents.ports};
    col_agents *agents = nullptr;
    coverage covered;
};

} // namespace collider

#define COLLIDER_PLUGIN(word, ...)                                                                 \
    using collider_interface = collider::interface_of<__VA_ARGS__>;                                \
    extern "C" const col_duv_interface col_duv_plugin = {COL_DUV_VERSION,                          \
                                                         word,                                     \
                                                         false,                                    \
                                                         collider_interface::open,                 \
                                                         collider_interface::close,                \
                                                         collider_interface::describe,             \
                                                         collider_interface::load,                 \
                                                         collider_interface::run,                  \
                                                         collider_interface::collect};
#define COLLIDER_DESIGN(Design) COLLIDER_PLUGIN(#Design, collider::design<Design>)

// ---- In place of parts of Verilator's runtime.

int collider_verilated_print(const char *format, ...);
int collider_verilated_print(const char *format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    const int length = std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (collider::printed.size() > 1 << 16)
        collider::printed.erase(0, 1 << 15);
    collider::printed += text;
    return length;
}

/* An assertion prints why before it stops. */
void vl_stop(const char *file, int line, const char *) {
    std::string why = collider::last_line(collider::printed);
    const std::size_t mark = why.find("%Error: ");
    why.erase(0, mark == std::string::npos ? 0 : mark + 8);
    throw collider::complaint{
        why.empty() ? std::string(file) + ":" + std::to_string(line) + ": $stop" : why};
}

void vl_fatal(const char *file, int line, const char *, const char *message) {
    throw collider::complaint{std::string(file) + ":" + std::to_string(line) + ": " + message};
}

void vl_finish(const char *file, int line, const char *) {
    throw collider::complaint{std::string(file) + ":" + std::to_string(line) + ": $finish"};
}

/* What cover points are declared by: the counters are read where the model has them. */
class VerilatedCovImp final : public VerilatedCovContext {};

VerilatedCovContext *VerilatedContext::coveragep() VL_MT_SAFE {
    if (!m_coveragep)
        m_coveragep.reset(new VerilatedCovImp);
    return reinterpret_cast<VerilatedCovContext *>(m_coveragep.get());
}

void VerilatedCovContext::_inserti(uint32_t *count) VL_MT_SAFE {
    if (collider::declared != nullptr)
        collider::declared->push_back(
            {count, "", "", "", "", "", "", 0, collider::origin::cover, true});
}

void VerilatedCovContext::_insertf(const char *, int) VL_MT_SAFE {
}

void VerilatedCovContext::_insertp(const char *, const char *, const char *, const char *file,
                                   const char *, int line, const char *, int column, const char *,
                                   const std::string &path, const char *, const char *page,
                                   const char *, const char *comment, const char *,
                                   const char *) VL_MT_SAFE {
    if (collider::declared != nullptr && collider::wants_names)
        collider::name_bin(collider::declared->back(), file, line, column, path, page, comment);
}

#endif
