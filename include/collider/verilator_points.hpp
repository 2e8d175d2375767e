/* SPDX-License-Identifier: MIT */
/*
 * Coverage points of a model that Verilator made (C++17, a part of collider/verilator.hpp): those
 * that it counts itself, by cover points, lines and toggles, and those of state signals, which are
 * sampled in each cycle.
 */
#ifndef COLLIDER_VERILATOR_POINTS_HPP
#define COLLIDER_VERILATOR_POINTS_HPP

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <verilated.h>
#include <verilated_syms.h>

namespace collider {

/* The model says that something is wrong; thrown through it. */
struct complaint {
    std::string text;
};

// ---- What to look at, besides cover points.

struct state {
    const char *name;
    uint64_t value;
    uint64_t next; /* states that may follow: bit i for state i */
};

/* A signal of all instances of a module, or each element of an array, whose values are states. */
struct state_signal {
    const char *module, *name;
    const char *file; /* where it is declared */
    uint32_t line;
    const state *states;
    uint32_t state_count;
    const char *const *paths; /* of the instances, perhaps without generate blocks; then null */
    uint32_t instances;
    bool lists_transitions; /* `next` says which are possible; otherwise nobody does */
};

struct observed {
    const state_signal *signals;
    uint32_t signal_count;
    const char *const *line_modules, *const *toggle_modules; /* ended by null pointers */
};

// ---- Points as the model declares them.

enum class origin { cover, line, toggle, state };

struct bin {
    uint32_t *count;
    std::string path, module, machine, state, event, file;
    uint32_t line;
    origin from;
    bool is_possible = true;
};

/* Where the model that is being made declares its points, and whether their names are wanted. */
inline thread_local std::vector<bin> *declared;
inline thread_local bool wants_names;

/* Verilator writes what C++ does not take in a name, and the second of two underscores, as __0 and
 * two hexadecimal digits. */
inline bool is_code(const std::string &name, std::size_t at) {
    return name.compare(at, 3, "__0") == 0 && at + 5 <= name.size() &&
           std::isxdigit(static_cast<unsigned char>(name[at + 3])) &&
           std::isxdigit(static_cast<unsigned char>(name[at + 4]));
}

inline std::string plain_name(const std::string &name) {
    std::string plain;
    for (std::size_t i = 0; i < name.size(); i++) {
        if (!is_code(name, i)) {
            plain += name[i];
            continue;
        }
        plain += static_cast<char>(std::strtoul(name.substr(i + 3, 2).c_str(), nullptr, 16));
        i += 4;
    }
    return plain;
}

/* Behind two other underscores are the values of a module's parameters. */
inline std::string module_name(const std::string &name) {
    for (std::size_t i = 1; i < name.size(); i++)
        if (name.compare(i, 2, "__") == 0 && !is_code(name, i) && !is_code(name, i + 1))
            return plain_name(name.substr(0, i));
        else if (is_code(name, i))
            i += 4;
    return plain_name(name);
}

inline std::string one_word(std::string name) {
    for (char &c : name)
        if (static_cast<unsigned char>(c) <= ' ' || c == 127)
            c = '_';
    return name;
}

/* A label state__event is a transition. */
inline void name_cover(bin &b, const char *comment) {
    std::string label = one_word(plain_name(comment));
    if (label.empty() || label == "cover")
        label = "line" + std::to_string(b.line);
    const std::size_t split = label.find("__");
    const bool is_transition = split != 0 && split != std::string::npos && split + 2 < label.size();
    b.state = is_transition ? label.substr(0, split) : label;
    b.event = is_transition ? label.substr(split + 2) : "";
}

/* "FILE:LINE:COLUMN", and which branch of it. */
inline void name_line(bin &b, int column, const char *comment) {
    b.state = one_word(b.file + ":" + std::to_string(b.line) + ":" + std::to_string(column));
    if (std::strcmp(comment, "block") != 0)
        b.state += "-" + one_word(comment);
}

/* The page is "v_KIND/MODULE". */
inline void name_bin(bin &b, const char *file, int line, int column, const std::string &path,
                     const char *page, const char *comment) {
    const char *slash = std::strrchr(file, '/'), *module = std::strchr(page, '/');
    const std::string kind(page, module == nullptr ? 0 : static_cast<std::size_t>(module - page));
    b.path = path;
    b.module = b.machine = module_name(module == nullptr ? page : module + 1);
    b.file = slash == nullptr ? file : slash + 1;
    b.line = static_cast<uint32_t>(line);
    if (kind == "v_line" || kind == "v_branch") {
        b.from = origin::line;
        b.machine += ".lines";
        name_line(b, column, comment);
    } else if (kind == "v_toggle") {
        b.from = origin::toggle;
        b.machine += ".toggles";
        b.state = one_word(plain_name(comment));
    } else {
        b.path = path.substr(0, path.rfind('.')); /* without the label */
        name_cover(b, comment);
    }
}

/* Is it known which points can be reached? */
inline bool lists_transitions(const observed *o) {
    for (uint32_t s = 0; o != nullptr && s < o->signal_count; s++)
        if (o->signals[s].lists_transitions)
            return true;
    return false;
}

inline bool is_among(const char *const *names, const std::string &name) {
    for (; *names != nullptr; names++)
        if (name == *names)
            return true;
    return false;
}

/* Verilator counts by files; the design file asks for modules. */
inline bool is_wanted(const bin &b, const observed *o) {
    if (b.from == origin::line)
        return o != nullptr && is_among(o->line_modules, b.module);
    if (b.from == origin::toggle)
        return o != nullptr && is_among(o->toggle_modules, b.module);
    return true;
}

// ---- State signals.

/* How many parts of a path there are if it is the other one without some parts in between, such as
 * generate blocks; else 0. */
inline std::size_t fit(const std::string &path, const std::string &whole) {
    std::size_t parts = 0, at = 0, begin = 0;
    bool is_last = false;
    while (begin <= whole.size()) {
        const std::size_t end = std::min(whole.find('.', begin), whole.size());
        const std::size_t stop = std::min(path.find('.', at), path.size());
        is_last = at <= path.size() && path.compare(at, stop - at, whole, begin, end - begin) == 0;
        if (is_last) {
            parts++;
            at = stop + 1;
        } else if (begin == 0) {
            return 0; /* the top module */
        }
        begin = end + 1;
    }
    return is_last && at == path.size() + 1 ? parts : 0;
}

/* The states of one instance of a model, whose points are further bins. */
class state_watch {
  public:
    void declare(VerilatedContext &context, const observed *o, std::vector<bin> &bins) {
        if (o == nullptr || o->signal_count == 0)
            return;
        std::vector<uint32_t> found(o->signal_count, 0);
        for (const auto &[name, scope] : *context.scopeNameMap())
            if (scope->varsp() != nullptr)
                for (const auto &[variable, data] : *scope->varsp())
                    declare(*o, name, variable, data, bins, found);
        for (uint32_t s = 0; s < o->signal_count; s++)
            if (found[s] != o->signals[s].instances)
                throw complaint{std::string("of ") + std::to_string(o->signals[s].instances) +
                                " instances of " + o->signals[s].module + ", " +
                                std::to_string(found[s]) + " have the signal " +
                                o->signals[s].name};
    }

    /* From here on; what was before does not count. */
    void begin() {
        for (element &e : elements) {
            e.last = e.read();
            e.state = e.of->find(e.last);
            e.of->enter(e.state);
        }
    }

    void sample() {
        for (element &e : elements) {
            const uint64_t now = e.read();
            if (now == e.last)
                continue;
            const uint32_t next = e.of->find(now);
            e.of->enter(next);
            e.of->change(e.state, next);
            e.last = now;
            e.state = next;
        }
    }

    /* What is not in the counters of its points, to go back to. */
    auto keep() const {
        return elements;
    }
    template <typename Kept> void go_back(const Kept &kept) {
        elements = kept;
    }

  private:
    /* The counters of one controller: of states, then of changes from each state to each. */
    struct controller {
        const state_signal *signal;
        std::vector<uint32_t> counts;

        explicit controller(const state_signal &s)
            : signal(&s), counts(std::size_t(s.state_count) * (s.state_count + 1), 0) {
        }
        uint32_t find(uint64_t value) const {
            uint32_t i = 0;
            while (i < signal->state_count && signal->states[i].value != value)
                i++;
            return i; /* state_count: it is none of the states */
        }
        void enter(uint32_t state) {
            if (state < signal->state_count)
                counts[state]++;
        }
        void change(uint32_t from, uint32_t to) {
            if (from < signal->state_count && to < signal->state_count)
                counts[std::size_t(signal->state_count) * (from + 1) + to]++;
        }
    };

    struct element {
        controller *of;
        const char *data;
        uint32_t bytes;
        uint64_t last;
        uint32_t state;

        uint64_t read() const {
            uint64_t value = 0; /* all machines that we run on are little-endian */
            std::memcpy(&value, data, bytes);
            return value;
        }
    };

    static const state_signal *signal_of(const observed &o, std::string scope,
                                         const char *variable) {
        const state_signal *best = nullptr;
        std::size_t most = 0;
        if (scope.compare(0, 4, "TOP.") == 0)
            scope.erase(0, 4);
        for (uint32_t s = 0; s < o.signal_count; s++)
            for (const char *const *path = o.signals[s].paths; *path != nullptr; path++)
                if (plain_name(variable) == o.signals[s].name && fit(*path, scope) > most) {
                    most = fit(*path, scope);
                    best = &o.signals[s];
                }
        return best;
    }

    void declare(const observed &o, const char *scope, const char *variable,
                 const VerilatedVar &data, std::vector<bin> &bins, std::vector<uint32_t> &found) {
        const state_signal *s = signal_of(o, scope, variable);
        if (s == nullptr)
            return;
        found[static_cast<std::size_t>(s - o.signals)]++;
        controllers.push_back(std::make_unique<controller>(*s));
        controller &own = *controllers.back();
        const uint32_t bytes = std::min(data.entSize(), 8u);
        for (std::size_t at = 0; at < data.totalSize(); at += data.entSize())
            elements.push_back({&own, static_cast<const char *>(data.datap()) + at, bytes, 0, 0});
        declare_points(own, scope, bins);
    }

    static void declare_points(controller &own, const char *scope, std::vector<bin> &bins) {
        const state_signal &s = *own.signal;
        for (std::size_t i = 0; i < own.counts.size(); i++) {
            const std::size_t from = i < s.state_count ? i : i / s.state_count - 1;
            const std::size_t to = i % s.state_count;
            if (i >= s.state_count && from == to)
                continue;
            bins.push_back({&own.counts[i], "", "", "", "", "", "", 0, origin::state, true});
            if (!wants_names)
                continue;
            bin &b = bins.back();
            b.path = scope;
            b.module = s.module;
            b.machine = std::string(s.module) + "." + s.name;
            b.state = s.states[from].name;
            b.event = i < s.state_count ? "" : s.states[to].name;
            b.file = s.file;
            b.line = s.line;
            b.is_possible = i < s.state_count || (s.states[from].next >> to & 1) != 0;
        }
    }

    std::vector<std::unique_ptr<controller>> controllers;
    std::vector<element> elements;
};

} // namespace collider

#endif
