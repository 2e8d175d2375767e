// SPDX-License-Identifier: MIT
// Drives a model of tests/data/verilog/flat.sv with the inputs of a VCD file and writes Verilator's
// own coverage.dat. What happened up to the end of reset, at a time that is given, does not count.
//   again FILE.vcd TIME COVERAGE-FILE
#include "Vflat.h"
#include "verilated.h"
#include "verilated_cov.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>

// Bits from `low` on get the value of binary digits.
template <typename Word> static void put(Word &signal, unsigned low, const std::string &digits) {
    for (unsigned i = 0; i < digits.size(); i++) {
        const unsigned at = low + i;
        const Word bit = Word(1) << at;
        signal = digits[digits.size() - 1 - i] == '1' ? signal | bit : signal & ~bit;
    }
}

template <std::size_t Words>
static void put(VlWide<Words> &signal, unsigned low, const std::string &digits) {
    for (unsigned i = 0; i < digits.size(); i++)
        put(signal[(low + i) / 32], (low + i) % 32, digits.substr(digits.size() - 1 - i, 1));
}

int main(int, char **arguments) {
    const auto context = std::make_unique<VerilatedContext>();
    context->randReset(0);
    const auto model = std::make_unique<Vflat>(context.get());
    using change = std::function<void(const std::string &)>;
    std::map<std::string, change> inputs; /* by code */
    const auto port = [&](auto &signal, unsigned bits) {
        return [&signal, bits](unsigned p) -> change {
            return [&signal, bits, p](const std::string &digits) { put(signal, p * bits, digits); };
        };
    };
    std::map<std::string, std::function<change(unsigned)>> known = {
        {"clk", port(model->clk, 1)},
        {"rst_n", port(model->rst_n, 1)},
        {"error_select", port(model->error_select, 4)},
        {"slow", port(model->slow, 3)},
        {"request_valid", port(model->request_valid, 3)},
        {"request_operation", port(model->request_operation, 4)},
        {"request_width", port(model->request_width, 2)},
        {"request_address", port(model->request_address, 32)},
        {"request_data", port(model->request_data, 64)},
        {"request_tag", port(model->request_tag, 4)},
        {"response_ready", port(model->response_ready, 3)},
    };
    std::ifstream file(arguments[1]);
    const uint64_t begin = std::stoull(arguments[2]);
    std::string line;
    unsigned depth = 0, taken = 0;
    bool is_first = true;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string first, kind, width, code, name;
        words >> first;
        if (first == "$scope") {
            depth++;
        } else if (first == "$upscope") {
            depth--;
        } else if (first == "$var" && depth == 1) { /* signals of TOP */
            words >> kind >> width >> code >> name;
            const std::size_t bracket = name.find('[');
            const auto found = known.find(name.substr(0, bracket));
            if (found != known.end()) {
                inputs[code] = found->second(
                    bracket == std::string::npos ? 0 : unsigned(std::stoul(name.substr(bracket + 1))));
                taken++;
            }
        } else if (first[0] == '#') {
            if (!is_first)
                model->eval();
            is_first = false;
            if (std::stoull(first.substr(1)) == begin)
                context->coveragep()->zero();
        } else if (first[0] == 'b') {
            words >> code;
            if (inputs.count(code) != 0)
                inputs[code](first.substr(1));
        } else if ((first[0] == '0' || first[0] == '1') && inputs.count(first.substr(1)) != 0) {
            inputs[first.substr(1)](first.substr(0, 1));
        }
    }
    model->eval();
    context->coveragep()->write(arguments[3]);
    if (taken != 21) {
        std::fprintf(stderr, "%u inputs, not 21\n", taken);
        return 1;
    }
    return 0;
}
