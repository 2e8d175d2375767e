// SPDX-License-Identifier: MIT
// Runs random agents on rtl/msi or rtl/directory (MODEL and MODEL_HEADER say which) and writes a
// trace for each reset:
//
//     system_traffic --traces N --operations N --seed N --error N --trace FILE --coverage FILE
//                 --replaced yes|no --speculates yes|no --complains yes|no
//
// The last three: the trace tells which word a write replaced; loads are asked for out of order;
// the agents stop at what they know to be wrong.
// Exit status 0: all went well as far as agents can tell; 1: they complain; 4: it hangs.
#include MODEL_HEADER
#include "traffic.hpp"
#include "verilated_cov.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

enum { TAG_BITS = 8, ADDRESS_BITS = 32, PATIENCE = 20000, STATUS_WRONG = 1, STATUS_HANGS = 4 };

struct Options {
    uint64_t traces = 50, operations = 2000, seed = 1, error = 0;
    bool replaced = true, speculates = true, complains = true;
    const char *trace = nullptr, *coverage = nullptr;
};

// How much a trace is disturbed, in percent.
struct Mood {
    unsigned stalls[3], refuses;
};

class Bench {
  public:
    explicit Bench(const Options &options) : options_(options), model_(new MODEL) {
    }

    // 0, STATUS_WRONG or STATUS_HANGS.
    int run(Traffic &traffic, uint64_t seed);
    uint64_t cycles() const {
        return cycles_;
    }

  private:
    void tick();
    void reset(const Traffic &traffic);
    void drive(Traffic &traffic, Chance &chance, const Mood &mood);
    bool listen(Traffic &traffic);

    const Options &options_;
    std::unique_ptr<MODEL> model_;
    uint64_t cycles_ = 0;
};

void Bench::tick() {
    model_->clock = 1;
    model_->eval();
    model_->clock = 0;
    model_->eval();
    cycles_++;
}

void Bench::reset(const Traffic &traffic) {
    model_->error_select = static_cast<uint8_t>(options_.error);
    model_->reset = 1;
    model_->request_valid = 0;
    model_->response_ready = 0;
    model_->stall = 0;
    for (int i = 0; i < 4; i++)
        tick();
    model_->host_write = 1;
    model_->host_data = 0;
    for (const Location &location : traffic.locations())
        for (unsigned byte = 0; byte < location.bytes; byte += 4) {
            model_->host_address = static_cast<uint32_t>((location.address + byte) / 4);
            tick();
        }
    model_->host_write = 0;
    model_->reset = 0;
}

void Bench::drive(Traffic &traffic, Chance &chance, const Mood &mood) {
    unsigned stall = 0;
    for (unsigned i = 0; i < 3; i++)
        stall |= chance.happens(mood.stalls[i]) ? 1U << i : 0;
    model_->stall = static_cast<uint8_t>(stall);
    for (unsigned port = 0; port < PORTS; port++) {
        Request request;
        const bool wants = traffic.wants(port, request);
        set_field(model_->response_ready, port, 1, !chance.happens(mood.refuses));
        set_field(model_->request_valid, port, 1, wants);
        if (!wants)
            continue;
        set_field(model_->request_operation, port, 4, request.operation);
        set_field(model_->request_width, port, 2, request.bytes == 4 ? 2 : 3);
        set_field(model_->request_address, port, ADDRESS_BITS, request.address);
        set_field(model_->request_data, port, 64, request.data);
        set_field(model_->request_tag, port, TAG_BITS, request.tag);
    }
    model_->eval();
}

// What the ports say in this cycle; true: something happened.
bool Bench::listen(Traffic &traffic) {
    bool is_alive = false;
    for (unsigned port = 0; port < PORTS; port++) {
        if (field(model_->commit_valid, port, 1) != 0) {
            is_alive = true;
            traffic.commit(port, field(model_->commit_tag, port, TAG_BITS),
                           field(model_->commit_old, port, 64));
        }
        if (field(model_->invalidate_valid, port, 1) != 0)
            traffic.invalidate(port, field(model_->invalidate_address, port, ADDRESS_BITS));
    }
    for (unsigned port = 0; port < PORTS; port++) {
        const uint64_t valid_ready =
            field(model_->response_valid, port, 1) & field(model_->response_ready, port, 1);
        if (valid_ready != 0) {
            is_alive = true;
            traffic.respond(port, field(model_->response_tag, port, TAG_BITS),
                            field(model_->response_data, port, 64));
        }
        if ((field(model_->request_valid, port, 1) & field(model_->request_ready, port, 1)) != 0)
            traffic.accepted(port);
    }
    return is_alive;
}

int Bench::run(Traffic &traffic, uint64_t seed) {
    static const unsigned percents[] = {0, 0, 5, 20, 60, 85};
    Chance chance(seed);
    Mood mood;
    unsigned silent = 0;
    for (unsigned &percent : mood.stalls)
        percent = percents[chance.below(6)];
    mood.refuses = percents[chance.below(5)];
    reset(traffic);
    while (!traffic.is_done() && (traffic.complaint().empty() || !options_.complains)) {
        drive(traffic, chance, mood);
        silent = listen(traffic) ? 0 : silent + 1;
        if (silent == PATIENCE)
            return STATUS_HANGS;
        tick();
    }
    return traffic.complaint().empty() || !options_.complains ? 0 : STATUS_WRONG;
}

static bool take_option(Options &options, const char *name, const char *value) {
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {{"--traces", &options.traces},
                   {"--operations", &options.operations},
                   {"--seed", &options.seed},
                   {"--error", &options.error}};
    for (const auto &row : numbers)
        if (std::strcmp(name, row.name) == 0) {
            *row.number = std::strtoull(value, nullptr, 10);
            return true;
        }
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--replaced", &options.replaced},
                 {"--speculates", &options.speculates},
                 {"--complains", &options.complains}};
    for (const auto &row : flags)
        if (std::strcmp(name, row.name) == 0) {
            *row.flag = std::strcmp(value, "no") != 0;
            return true;
        }
    const bool is_trace = std::strcmp(name, "--trace") == 0;
    if (!is_trace && std::strcmp(name, "--coverage") != 0)
        return false;
    *(is_trace ? &options.trace : &options.coverage) = value;
    return true;
}

int main(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || !take_option(options, argv[i], argv[i + 1])) {
            std::fprintf(stderr, "system_traffic: unknown option %s\n", argv[i]);
            return 2;
        }
    std::FILE *trace = options.trace != nullptr ? std::fopen(options.trace, "w") : nullptr;
    Verilated::threadContextp()->randReset(2); // what no reset sets is random
    Verilated::threadContextp()->randSeed(static_cast<int>(options.seed) + 1);
    Bench bench(options);
    int status = 0;
    uint64_t done = 0;
    for (; done < options.traces && status == 0; done++) {
        const uint64_t seed = options.seed * 1000003 + done;
        Traffic traffic({PORTS, BLOCK_BYTES, TAG_BITS, static_cast<unsigned>(options.operations),
                         2 + static_cast<unsigned>(seed % 15), seed, options.speculates});
        status = bench.run(traffic, seed);
        if (trace != nullptr)
            std::fputs(traffic.text(options.replaced).c_str(), trace);
        if (status == STATUS_WRONG)
            std::printf("trace %llu: %s\n", static_cast<unsigned long long>(done + 1),
                        traffic.complaint().c_str());
        if (status == STATUS_HANGS)
            std::printf("trace %llu: no port has said anything for %d cycles\n",
                        static_cast<unsigned long long>(done + 1), PATIENCE);
    }
    if (trace != nullptr)
        std::fclose(trace);
    std::printf("%llu traces, %llu cycles\n", static_cast<unsigned long long>(done),
                static_cast<unsigned long long>(bench.cycles()));
    if (options.coverage != nullptr)
        Verilated::threadContextp()->coveragep()->write(options.coverage);
    return status;
}
