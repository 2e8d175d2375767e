// SPDX-License-Identifier: MIT
// Boots an image on rtl/cores:
//
//     cluster_run IMAGE.bin [--seed N] [--error N] [--cycles N] [--commits FILE]
//                 [--dump FILE --base N --size N] [--coverage FILE]
//
// Writes what harts retire as a commit log, and a piece of the memory that is not cached as it is
// at the end. Exit status: 0 if the image says that all went well, 1 if it says the contrary, 4 if
// it says nothing.
#include "Vcluster.h"
#include "chance.hpp"
#include "signals.hpp"
#include "verilated_cov.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

enum { STATUS_FAILED = 1, STATUS_SILENT = 4, WORD_PASS = 1 };
static const uint32_t RAM = 0x80000000;

struct Options {
    uint64_t seed = 1, error = 0, cycles = 20000000, base = 0, size = 0;
    const char *image = nullptr, *commits = nullptr, *dump = nullptr, *coverage = nullptr;
};

static void tick(Vcluster &cluster) {
    cluster.clock = 1;
    cluster.eval();
    cluster.clock = 0;
    cluster.eval();
}

static bool load(Vcluster &cluster, const char *path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return false;
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    bytes.resize((bytes.size() + 3) / 4 * 4);
    cluster.host_write = 1;
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
        cluster.host_address = RAM + static_cast<uint32_t>(at);
        std::memcpy(&cluster.host_data, &bytes[at], 4);
        tick(cluster);
    }
    cluster.host_write = 0;
    return true;
}

static void dump(Vcluster &cluster, const Options &options) {
    std::FILE *file = std::fopen(options.dump, "wb");
    for (uint64_t at = 0; at < options.size && file != nullptr; at += 4) {
        cluster.host_address = static_cast<uint32_t>(options.base + at);
        cluster.eval();
        std::fwrite(&cluster.host_word, 4, 1, file);
    }
    if (file != nullptr)
        std::fclose(file);
}

static void log_retired(const Vcluster &cluster, std::FILE *file) {
    for (unsigned hart = 0; hart < HARTS; hart++) {
        if (field(cluster.retire_valid, hart, 1) == 0)
            continue;
        const auto pc = static_cast<unsigned>(field(cluster.retire_pc, hart, 32));
        const auto rd = static_cast<unsigned>(field(cluster.retire_register, hart, 5));
        const auto value = static_cast<unsigned>(field(cluster.retire_value, hart, 32));
        if (rd == 0) // Spike's form has lines without a register
            std::fprintf(file, "core %3u: 3 0x%08x (0x00000000)\n", hart, pc);
        else
            std::fprintf(file, "%u 0x%08x x%u 0x%x\n", hart, pc, rd, value);
    }
}

// Until the image exits; the number of cycles.
static uint64_t run(Vcluster &cluster, const Options &options) {
    static const unsigned percents[] = {0, 0, 5, 20, 60};
    Chance chance(options.seed);
    unsigned stalls[3];
    for (unsigned &percent : stalls)
        percent = percents[chance.below(5)];
    std::FILE *commits = options.commits != nullptr ? std::fopen(options.commits, "w") : nullptr;
    uint64_t cycle = 0;
    cluster.reset = 0;
    for (; cycle < options.cycles && cluster.exit_valid == 0; cycle++) {
        unsigned stall = 0;
        for (unsigned i = 0; i < 3; i++)
            stall |= chance.happens(stalls[i]) ? 1U << i : 0;
        cluster.stall = static_cast<uint8_t>(stall);
        tick(cluster);
        if (commits != nullptr)
            log_retired(cluster, commits);
    }
    if (commits != nullptr)
        std::fclose(commits);
    return cycle;
}

static bool take_option(Options &options, const char *name, const char *value) {
    const struct {
        const char *name;
        uint64_t *number;
        const char **text;
    } rows[] = {{"--seed", &options.seed, nullptr},     {"--error", &options.error, nullptr},
                {"--cycles", &options.cycles, nullptr}, {"--base", &options.base, nullptr},
                {"--size", &options.size, nullptr},     {"--commits", nullptr, &options.commits},
                {"--dump", nullptr, &options.dump},     {"--coverage", nullptr, &options.coverage}};
    for (const auto &row : rows)
        if (std::strcmp(name, row.name) == 0) {
            if (row.number != nullptr)
                *row.number = std::strtoull(value, nullptr, 0);
            else
                *row.text = value;
            return true;
        }
    return false;
}

int main(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-')
            options.image = argv[i];
        else if (i + 1 == argc || !take_option(options, argv[i], argv[i + 1])) {
            std::fprintf(stderr, "cluster_run: unknown option %s\n", argv[i]);
            return 2;
        } else
            i++;
    }
    Verilated::threadContextp()->randReset(2); // what no reset sets is random
    Verilated::threadContextp()->randSeed(static_cast<int>(options.seed) + 1);
    std::unique_ptr<Vcluster> cluster(new Vcluster);
    cluster->error_select = static_cast<uint8_t>(options.error);
    cluster->reset = 1;
    tick(*cluster);
    if (options.image == nullptr || !load(*cluster, options.image)) {
        std::fprintf(stderr, "cluster_run: cannot read the image\n");
        return 2;
    }
    const uint64_t cycles = run(*cluster, options);
    if (options.dump != nullptr)
        dump(*cluster, options);
    if (options.coverage != nullptr)
        Verilated::threadContextp()->coveragep()->write(options.coverage);
    std::printf("%llu cycles, exit word %u\n", static_cast<unsigned long long>(cycles),
                cluster->exit_valid != 0 ? cluster->exit_value : 0);
    return cluster->exit_valid == 0           ? STATUS_SILENT
           : cluster->exit_value == WORD_PASS ? 0
                                              : STATUS_FAILED;
}
