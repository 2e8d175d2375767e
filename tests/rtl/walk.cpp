// SPDX-License-Identifier: MIT
// Walks through all states of an abstract model of rtl/msi, one block in N caches, and prints every
// pair of a state and an event that can happen, as cover points are named:
//
//     walk N
//
// The bus is atomic here, a phase takes no time, and everything may happen in any order: whatever
// the design does with one block, this model does too. The protocol is written down again, as rows
// of text, so that a slip in one of the two tables shows as a difference.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>
#include <string>
#include <vector>

enum { MOST_CACHES = 4 };

// What other caches and our own requests do: state, event, next state, what is done. The letters:
// o the cache owns the block and memory keeps quiet; c it sends the data to the requester, m to
// memory; d it will do so, as it is the owner from now on, when it has the data itself.
struct Row {
    const char *state, *event, *next, *actions;
};
static const Row rows[] = {
    {"IS_AD", "Own_GetS", "IS_D", ""},
    {"IM_AD", "Own_GetM", "IM_D", ""},
    {"SM_AD", "Own_GetM", "SM_D", ""},
    {"MI_A", "Own_PutM", "I", "om"},
    {"II_A", "Own_PutM", "I", ""},
    {"M", "Other_GetS", "S", "ocm"},
    {"M", "Other_GetM", "I", "oc"},
    {"MI_A", "Other_GetS", "II_A", "ocm"},
    {"MI_A", "Other_GetM", "II_A", "oc"},
    {"S", "Other_GetM", "I", ""},
    {"SM_AD", "Other_GetM", "IM_AD", ""},
    {"IS_D", "Other_GetM", "IS_D_I", ""},
    {"IM_D", "Other_GetS", "IM_D_S", "od"},
    {"IM_D", "Other_GetM", "IM_D_I", "od"},
    {"SM_D", "Other_GetS", "SM_D_S", "od"},
    {"SM_D", "Other_GetM", "SM_D_I", "od"},
    {"IM_D_S", "Other_GetM", "IM_D_SI", ""},
    {"SM_D_S", "Other_GetM", "SM_D_SI", ""},
    {"IS_D", "Data", "S", ""},
    {"IS_D_I", "Data", "I", ""},
    {"IM_D", "Data", "M", ""},
    {"SM_D", "Data", "M", ""},
    {"IM_D_S", "Data", "S", "cm"},
    {"SM_D_S", "Data", "S", "cm"},
    {"IM_D_I", "Data", "I", "c"},
    {"SM_D_I", "Data", "I", "c"},
    {"IM_D_SI", "Data", "I", "cm"},
    {"SM_D_SI", "Data", "I", "cm"},
};

static const char *const readable[] = {"S",    "M",      "MI_A",   "SM_AD",
                                       "SM_D", "SM_D_S", "SM_D_I", "SM_D_SI"};

// A message with data; target -1: for memory alone.
struct Reply {
    int target;
    bool to_memory;
};

enum Channel { FOR_LOAD, FOR_WRITE, CHANNELS };
enum Progress : char { IDLE, ASKS_GET, ASKS_PUT, WAITS };

struct Cache {
    std::string state = "I";
    int owed = 0;
    std::array<Progress, CHANNELS> channels = {IDLE, IDLE};
    std::deque<Reply> replies;
};

struct Waiting {
    int target, promises;
};

struct World {
    std::array<Cache, MOST_CACHES> caches;
    int promises = 0; // blocks that memory has been promised
    std::deque<Waiting> queue;

    std::string key() const {
        std::string text;
        for (const Cache &cache : caches) {
            text += cache.state + ' ' + static_cast<char>('0' + cache.owed) +
                    static_cast<char>('0' + cache.channels[0]) +
                    static_cast<char>('0' + cache.channels[1]);
            for (const Reply &reply : cache.replies)
                text += static_cast<char>('b' + reply.target + (reply.to_memory ? 16 : 0));
            text += '/';
        }
        text += static_cast<char>('0' + promises);
        for (const Waiting &waiting : queue)
            text += std::to_string(waiting.target) + ':' + std::to_string(waiting.promises) + ' ';
        return text;
    }
};

class Walk {
  public:
    explicit Walk(int caches) : caches_(caches) {
    }
    void run();
    const std::set<std::string> &points() const {
        return points_;
    }
    std::size_t worlds() const {
        return seen_.size();
    }

  private:
    void reach(const World &world);
    void note(const char *machine, const std::string &state, const std::string &event) {
        points_.insert(std::string(machine) + " " + state + "__" + event);
    }
    std::string step(Cache &cache, const std::string &event);
    void agent(const World &world, int c);
    void leave(const World &world, int c, const char *event, Channel channel);
    void address(const World &world, int c, Channel channel);
    void data(const World &world, const Reply &reply, const World &after);
    void replies(const World &world);

    int caches_;
    std::set<std::string> seen_, points_;
    std::deque<World> todo_;
};

void Walk::reach(const World &world) {
    if (seen_.insert(world.key()).second)
        todo_.push_back(world);
}

// One event in one cache; what is done.
std::string Walk::step(Cache &cache, const std::string &event) {
    if (cache.state == "I")
        return "";
    note("cache_controller", cache.state, event);
    for (const Row &row : rows)
        if (cache.state == row.state && event == row.event) {
            cache.state = row.next;
            return row.actions;
        }
    return "";
}

// A block is replaced or flushed.
void Walk::leave(const World &world, int c, const char *event, Channel channel) {
    World after = world;
    Cache &cache = after.caches[c];
    if (cache.channels[channel] != IDLE || (cache.state != "S" && cache.state != "M"))
        return;
    note("cache_controller", cache.state, event);
    if (cache.state == "M")
        cache.channels[channel] = ASKS_PUT;
    cache.state = cache.state == "M" ? "MI_A" : "I";
    reach(after);
}

void Walk::agent(const World &world, int c) {
    const Cache &cache = world.caches[c];
    if (cache.channels[FOR_LOAD] == IDLE) {
        for (const char *state : readable)
            if (cache.state == state)
                note("cache_controller", state, "Load");
        if (cache.state == "I") {
            World after = world;
            note("cache_controller", "I", "Load");
            after.caches[c].state = "IS_AD";
            after.caches[c].channels[FOR_LOAD] = ASKS_GET;
            reach(after);
        }
    }
    if (cache.channels[FOR_WRITE] == IDLE &&
        (cache.state == "I" || cache.state == "S" || cache.state == "M")) {
        World after = world;
        note("cache_controller", cache.state, "Store");
        note("cache_controller", cache.state, "Atomic");
        if (cache.state != "M") {
            after.caches[c].state = cache.state == "I" ? "IM_AD" : "SM_AD";
            after.caches[c].channels[FOR_WRITE] = ASKS_GET;
            reach(after);
        }
    }
    leave(world, c, "Replace", FOR_LOAD);
    leave(world, c, "Replace", FOR_WRITE);
    leave(world, c, "Flush", FOR_WRITE);
}

// The request of a channel is on the bus.
void Walk::address(const World &world, int c, Channel channel) {
    World after = world;
    Progress &progress = after.caches[c].channels[channel];
    const std::string request = progress == ASKS_PUT  ? "PutM"
                                : channel == FOR_LOAD ? "GetS"
                                                      : "GetM";
    progress = progress == ASKS_PUT ? IDLE : WAITS;
    bool is_owned = false;
    for (int i = 0; i < caches_; i++) {
        if (i != c && request == "PutM")
            continue;
        Cache &cache = after.caches[i];
        const std::string actions = step(cache, (i == c ? "Own_" : "Other_") + request);
        is_owned |= actions.find('o') != std::string::npos;
        if (actions.find('d') != std::string::npos)
            cache.owed = c;
        const bool to_cache = actions.find('c') != std::string::npos;
        const bool to_memory = actions.find('m') != std::string::npos;
        if (to_cache || to_memory)
            cache.replies.push_back({to_cache ? c : -1, to_memory});
    }
    const char *state = after.promises > 0 ? "Promised" : "Idle";
    const char *who = is_owned ? "_Owner" : request == "PutM" ? "_Stale" : "_Memory";
    note("memory_controller", state, request + who);
    if (!is_owned && request != "PutM")
        after.queue.push_back({c, after.promises});
    if (is_owned && request != "GetM")
        after.promises++;
    reach(after);
}

void Walk::data(const World &world, const Reply &reply, const World &delivered) {
    World after = delivered;
    if (reply.to_memory) {
        note("memory_controller", world.promises > 0 ? "Promised" : "Idle", "Data");
        after.promises--;
        for (Waiting &waiting : after.queue)
            waiting.promises -= waiting.promises > 0 ? 1 : 0;
    }
    if (reply.target >= 0) {
        Cache &cache = after.caches[reply.target];
        const bool is_load = cache.state == "IS_D" || cache.state == "IS_D_I";
        const std::string actions = step(cache, "Data");
        cache.channels[is_load ? FOR_LOAD : FOR_WRITE] = IDLE;
        if (!actions.empty())
            cache.replies.push_back({cache.owed, actions.find('m') != std::string::npos});
        cache.owed = 0;
    }
    reach(after);
}

void Walk::replies(const World &world) {
    for (int c = 0; c < caches_; c++)
        if (!world.caches[c].replies.empty()) {
            World after = world;
            const Reply reply = world.caches[c].replies.front();
            after.caches[c].replies.pop_front();
            data(world, reply, after);
        }
    if (!world.queue.empty() && world.queue.front().promises == 0) {
        World after = world;
        const Reply reply = {world.queue.front().target, false};
        after.queue.pop_front();
        data(world, reply, after);
    }
}

void Walk::run() {
    reach(World());
    while (!todo_.empty()) {
        const World world = todo_.front();
        todo_.pop_front();
        for (int c = 0; c < caches_; c++) {
            agent(world, c);
            for (const Channel channel : {FOR_LOAD, FOR_WRITE})
                if (world.caches[c].channels[channel] == ASKS_GET ||
                    world.caches[c].channels[channel] == ASKS_PUT)
                    address(world, c, channel);
        }
        replies(world);
    }
}

int main(int argc, char **argv) {
    const int caches = argc == 2 ? std::atoi(argv[1]) : 0;
    if (caches < 1 || caches > MOST_CACHES) {
        std::fprintf(stderr, "walk: give the number of caches, 1 to %d\n", MOST_CACHES);
        return 2;
    }
    Walk walk(caches);
    walk.run();
    for (const std::string &point : walk.points())
        std::puts(point.c_str());
    std::fprintf(stderr, "%d caches: %zu states, %zu points\n", caches, walk.worlds(),
                 walk.points().size());
    return 0;
}
