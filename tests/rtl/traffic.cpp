// SPDX-License-Identifier: MIT
// Random agents: see traffic.hpp.
#include "traffic.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

static const char *const operation_names[] = {"load", "store", "swap", "add", "fence", "flush"};

Traffic::Traffic(const Settings &settings) : settings_(settings), chance_(settings.seed) {
    choose_locations();
    choose_steps();
    words_.assign(locations_.size(), 0);
}

// A few blocks that compete for the sets of small caches, with one to four words in each.
void Traffic::choose_locations() {
    const unsigned blocks = 1 + static_cast<unsigned>(chance_.below(settings_.locations));
    while (locations_.size() < settings_.locations) {
        const uint64_t block = chance_.below(blocks) * (chance_.happens(50) ? 1 : 2);
        const uint64_t offset = chance_.below(settings_.block_bytes / 8) * 8;
        const unsigned bytes = chance_.happens(30) ? 4 : 8;
        const uint64_t address =
            block * settings_.block_bytes + offset + (bytes == 4 ? 4 * chance_.below(2) : 0);
        const auto overlaps = [&](const Location &other) {
            return other.address / 8 == address / 8 &&
                   (other.bytes == 8 || bytes == 8 || other.address == address);
        };
        if (std::none_of(locations_.begin(), locations_.end(), overlaps))
            locations_.push_back({address, bytes});
        else if (chance_.happens(10))
            settings_.locations--; // few blocks have few words
    }
}

// Every write of a trace has a word of its own; what adds add does not disturb the lower half.
void Traffic::choose_steps() {
    const bool is_fenced = chance_.happens(50);
    uint64_t unique = 0;
    agents_.resize(settings_.ports);
    for (Agent &agent : agents_)
        for (unsigned i = 0; i < settings_.operations / settings_.ports; i++) {
            const uint64_t draw = chance_.below(100);
            Step step = {draw < 45   ? LOAD
                         : draw < 80 ? STORE
                         : draw < 85 ? SWAP
                         : draw < 90 ? ADD
                         : draw < 97 ? (is_fenced ? FENCE : LOAD)
                                     : FLUSH,
                         static_cast<unsigned>(chance_.below(locations_.size())), 0};
            if (step.operation == STORE || step.operation == SWAP || step.operation == ADD)
                step.operand = ++unique;
            if (step.operation == ADD)
                step.operand <<= locations_[step.location].bytes == 4 ? 16 : 32;
            agent.steps.push_back(step);
        }
}

bool Traffic::is_done() const {
    return std::all_of(agents_.begin(), agents_.end(), [](const Agent &agent) {
        return agent.next == agent.steps.size() && !agent.is_waiting && agent.pending.empty();
    });
}

bool Traffic::wants(unsigned port, Request &request) {
    Agent &agent = agents_[port];
    if (agent.is_waiting || agent.next == agent.steps.size())
        return false;
    if (agent.pause > 0) {
        agent.pause--;
        return false;
    }
    const Step &step = agent.steps[agent.asked];
    const Location &location = locations_[step.location];
    request = {step.operation, location.address, step.operand,
               low_bits(agent.tags, settings_.tag_bits), location.bytes};
    return true;
}

void Traffic::accepted(unsigned port) {
    Agent &agent = agents_[port];
    const std::size_t at = agent.asked;
    const Step &step = agent.steps[at];
    agent.is_waiting = true;
    if (step.operation == STORE || step.operation == SWAP || step.operation == ADD) {
        agent.by_tag[low_bits(agent.tags, settings_.tag_bits)] = at;
        agent.pending.push_back(at);
    }
    if (step.operation == LOAD) {
        agent.held.assign(1, words_[step.location]);
        for (const std::size_t other : agent.pending)
            if (agent.steps[other].location == step.location)
                agent.held.assign(1, agent.steps[other].operand);
        if (at == agent.next + 1)
            agent.was_lost = false;
    }
}

void Traffic::complain(unsigned port, std::size_t step, const char *what, uint64_t value) {
    char text[200];
    if (!complaint_.empty())
        return;
    std::snprintf(text, sizeof text, "port %u, step %zu (%s): %s 0x%" PRIx64, port, step,
                  operation_names[agents_[port].steps[step].operation], what, value);
    complaint_ = text;
}

void Traffic::commit(unsigned port, uint64_t tag, uint64_t old) {
    Agent &agent = agents_[port];
    const auto found = agent.by_tag.find(tag);
    if (found == agent.by_tag.end()) {
        complaint_ = "a commit has a tag that is not under way";
        return;
    }
    const std::size_t at = found->second;
    Step &step = agent.steps[at];
    const unsigned bits = 8 * locations_[step.location].bytes;
    if (old != words_[step.location])
        complain(port, at, "replaced another word than the last one,", old);
    step.replaced = old;
    step.has_replaced = true;
    words_[step.location] =
        low_bits(step.operation == ADD ? old + step.operand : step.operand, bits);
    agent.by_tag.erase(found);
    agent.pending.erase(std::find(agent.pending.begin(), agent.pending.end(), at));
    for (Agent &other : agents_)
        if (other.is_waiting && other.steps[other.asked].location == step.location)
            other.held.push_back(words_[step.location]);
}

void Traffic::invalidate(unsigned port, uint64_t address) {
    Agent &agent = agents_[port];
    if (agent.next + 1 < agent.steps.size() &&
        locations_[agent.steps[agent.next + 1].location].address / settings_.block_bytes ==
            address / settings_.block_bytes)
        agent.was_lost = true;
}

void Traffic::answer_load(Agent &agent, Step &step, uint64_t data) {
    const unsigned port = static_cast<unsigned>(&agent - agents_.data());
    if (std::find(agent.held.begin(), agent.held.end(), data) == agent.held.end())
        complain(port, agent.asked, "returned what its word never held,", data);
    step.read = data;
}

void Traffic::respond(unsigned port, uint64_t tag, uint64_t data) {
    Agent &agent = agents_[port];
    if (!agent.is_waiting || tag != low_bits(agent.tags, settings_.tag_bits)) {
        complaint_ = "a response has a tag that is not under way";
        return;
    }
    Step &step = agent.steps[agent.asked];
    agent.is_waiting = false;
    agent.tags++;
    agent.pause = chance_.happens(30) ? static_cast<unsigned>(chance_.below(12)) : 0;
    if (step.operation == LOAD)
        answer_load(agent, step, data);
    else
        step.read = data;
    if (agent.asked == agent.next + 1) { // early: now the one before it
        agent.is_early = true;
        agent.asked = agent.next;
        return;
    }
    step.is_done = true;
    agent.next++;
    if (agent.is_early && !agent.was_lost) {
        agent.steps[agent.next].is_done = true;
        agent.next++;
    }
    agent.is_early = false;
    agent.was_lost = false;
    agent.asked = agent.next;
    if (settings_.speculates && agent.next + 1 < agent.steps.size() &&
        agent.steps[agent.next].operation == LOAD &&
        agent.steps[agent.next + 1].operation == LOAD &&
        agent.steps[agent.next].location != agent.steps[agent.next + 1].location &&
        chance_.happens(50))
        agent.asked = agent.next + 1;
}

// M64[0x40] == 7
static std::string access(const Location &location, const char *how, uint64_t value) {
    char text[80];
    std::snprintf(text, sizeof text, "M%u[0x%" PRIx64 "] %s %" PRIu64, 8 * location.bytes,
                  location.address, how, value);
    return text;
}

static std::string line_of(const Step &step, const Location &location, bool with_replaced) {
    const uint64_t sum = low_bits(step.read + step.operand, 8 * location.bytes);
    switch (step.operation) {
    case LOAD:
        return access(location, "==", step.read);
    case STORE:
        return access(location, ":=", step.operand) +
               (with_replaced && step.has_replaced ? " replaces " + std::to_string(step.replaced)
                                                   : "");
    case SWAP:
        return "{ " + access(location, "==", step.read) + "; " +
               access(location, ":=", step.operand) + " }";
    case ADD:
        return "{ " + access(location, "==", step.read) + "; " + access(location, ":=", sum) +
               " } add";
    case FENCE:
        return "sync";
    default:
        return ""; // a flush orders nothing
    }
}

std::string Traffic::text(bool with_replaced) const {
    std::string text;
    for (unsigned port = 0; port < agents_.size(); port++)
        for (const Step &step : agents_[port].steps) {
            if (!step.is_done && !step.has_replaced)
                break;
            const std::string line = line_of(step, locations_[step.location], with_replaced);
            if (!line.empty())
                text += std::to_string(port) + ": " + line + "\n";
        }
    return text + "check\n";
}
