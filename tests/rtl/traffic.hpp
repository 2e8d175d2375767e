// SPDX-License-Identifier: MIT
// Random agents at the request ports of a memory system, and what they know to be right without a
// memory model: a write replaces what the last write of its word left, and a load returns what its
// word held while it was under way, or its own agent's youngest store.
#ifndef RTL_TRAFFIC_HPP
#define RTL_TRAFFIC_HPP

#include "chance.hpp"
#include "signals.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

enum Operation : unsigned { LOAD, STORE, SWAP, ADD, FENCE, FLUSH };

struct Settings {
    unsigned ports, block_bytes, tag_bits;
    unsigned operations; // of one trace, all ports together
    unsigned locations;
    uint64_t seed;
    bool speculates; // loads may be asked for early, and again after an invalidation
};

struct Location {
    uint64_t address;
    unsigned bytes; // 4 or 8
};

// One operation of a program, and what came of it.
struct Step {
    Operation operation;
    unsigned location;
    uint64_t operand;
    uint64_t read = 0;     // what a load or an atomic returned
    uint64_t replaced = 0; // what a write replaced
    bool is_done = false, has_replaced = false;
};

struct Request {
    Operation operation;
    uint64_t address, data, tag;
    unsigned bytes;
};

// One port. Steps are asked for in program order, one at a time; of two loads in a row the second
// may come first.
struct Agent {
    std::vector<Step> steps;
    std::size_t next = 0;    // the first step that is not done
    unsigned pause = 0;      // cycles before the next request
    bool is_waiting = false; // a request is under way
    std::size_t asked = 0;   // the step that is asked for: `next`, or of two loads the second one
    bool is_early = false;   // steps[next + 1] has its value already
    bool was_lost = false;   // its block has been invalidated since it was asked for
    std::vector<uint64_t> held;             // by the word of the load under way
    std::map<uint64_t, std::size_t> by_tag; // writes that are not visible yet
    std::deque<std::size_t> pending;        // the same, oldest first
    uint64_t tags = 0;
};

class Traffic {
  public:
    explicit Traffic(const Settings &settings);

    const std::vector<Location> &locations() const {
        return locations_;
    }
    bool is_done() const;

    // What port p asks for in this cycle, or nothing.
    bool wants(unsigned port, Request &request);
    void accepted(unsigned port);

    // Tell commits and invalidations of a cycle before its responses.
    void commit(unsigned port, uint64_t tag, uint64_t old);
    void invalidate(unsigned port, uint64_t address);
    void respond(unsigned port, uint64_t tag, uint64_t data);

    // What went wrong; empty: nothing.
    const std::string &complaint() const {
        return complaint_;
    }
    // As collider check reads it; coherence order is told if `with_replaced`.
    std::string text(bool with_replaced) const;

  private:
    void choose_locations();
    void choose_steps();
    void answer_load(Agent &agent, Step &step, uint64_t data);
    void complain(unsigned port, std::size_t step, const char *what, uint64_t value);

    Settings settings_;
    Chance chance_;
    std::vector<Location> locations_;
    std::vector<Agent> agents_;
    std::vector<uint64_t> words_; // by location: what the last visible write left
    std::string complaint_;
};

#endif
