/* SPDX-License-Identifier: MIT */
/*
 * No protocol reads or writes outside of what is its own. Protocols are mutated word by word; those
 * that still translate are compiled with the address and undefined-behaviour sanitizers and run,
 * each in a process of its own. A design that fails is a result like any other; a report of a
 * sanitizer is not: the protocol is kept, and the program ends with status 1.
 *
 *   run-slicc SEED COUNT [SECONDS]
 */
#include "fuzz/mutate_slicc.h"

#include "base/clock.h"
#include "base/file.h"
#include "collider/generate.h"
#include "protocol/simulate/system.h"
#include "protocol/slicc/translate.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL = 50000, BUILT_IN = 6, CORES = 3, PATIENCE = 20, BUILT = 0, REFUSED_BY_SYSTEM = 3 };

static char folder[] = "/tmp/collider-run-slicc-XXXXXX";
static uint64_t inputs, translated, compiled, built, failed, stopped, wrong;

static void path_of(const char *name, char path[256]) {
    (void)snprintf(path, 256, "%s/%s", folder, name);
}

static void must_write(const char *name, const base_text *text) {
    char path[256];
    col_problem problem;
    path_of(name, path);
    if (base_file_write(path, text->data, text->length, &problem) != COL_OK) {
        (void)fprintf(stderr, "%s\n", problem.message);
        exit(1);
    }
}

/* ---- Making. */

static void make_protocol(uint64_t seed, base_text *text) {
    const base_text *base = NULL;
    mutate_seed(seed);
    const size_t among = mutate_draw(2) == 0 ? BUILT_IN : mutate_seed_count; /* these come first */
    while (base == NULL || base->length > SMALL)
        base = &mutate_seeds[mutate_draw(among)];
    mutate_put_frame(base->data, base->length, text);
    mutate_text(text);
}

static bool translate(const base_text *text) {
    char path[256], name[SLICC_MOST_NAME];
    base_text c = {0}, complaints = {0};
    col_problem problem;
    must_write("protocol.sm", text);
    path_of("protocol.sm", path);
    const bool good = slicc_translate(path, NULL, &c, name, &complaints, &problem) == COL_OK;
    if (good)
        must_write("protocol.c", &c);
    base_text_free(&c);
    base_text_free(&complaints);
    return good;
}

static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static bool compile(void) {
    char source[256], object[256];
    path_of("protocol.c", source);
    path_of("protocol.so", object);
    const pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(1);
        (void)execlp(COMPILER, COMPILER, "-std=c17", "-w", "-shared", "-fPIC", "-O0",
                     "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I" INCLUDE,
                     "-o", object, source, (char *)NULL);
        _exit(1);
    }
    const int status = wait_for(child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- Running. */

static void make_program(uint64_t seed, col_program *program) {
    col_generation generation;
    col_generator *generator = col_generator_new();
    col_problem problem;
    col_generation_default(&generation);
    generation.threads = CORES;
    generation.operations = 300;
    generation.locations = 12;
    if (generator == NULL ||
        col_generate(generator, &generation, seed, 0, program, &problem) != COL_OK)
        abort();
    col_generator_free(generator);
}

/* In the child; the number of instances in which the design failed, or that it cannot be built. */
static int run(uint64_t seed) {
    char path[256];
    sim_wiring wiring;
    sim_system *system;
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    int failures = 0;
    path_of("protocol.so", path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const sl_protocol *protocol = library == NULL ? NULL : dlsym(library, "col_protocol_entry");
    if (protocol == NULL || sim_wiring_infer(&wiring, protocol, CORES, &problem) != COL_OK)
        return REFUSED_BY_SYSTEM;
    wiring.monitors = seed % 2 == 0;
    wiring.deadlock_cycles = 20000;
    wiring.tbes = seed % 3 == 0 ? 2 : 256;
    if (sim_system_new(&system, protocol, &wiring, &problem) != COL_OK)
        return REFUSED_BY_SYSTEM;
    make_program(seed, &program);
    for (uint64_t i = 0; i < 4; i++) {
        sim_result result;
        (void)sim_system_run(system, &program, seed + i, i % 2 == 1, NULL, &result, &problem);
        failures += system->failure.happened;
    }
    col_program_free(&program);
    sim_system_free(system);
    return failures > 0 ? REFUSED_BY_SYSTEM + 1 : BUILT;
}

static void keep(uint64_t seed, int status) {
    char command[512];
    (void)fprintf(stderr, "seed %llu: status 0x%x: kept as run-slicc-%llu.sm\n",
                  (unsigned long long)seed, (unsigned)status, (unsigned long long)seed);
    (void)snprintf(command, sizeof command, "cp %s/protocol.sm run-slicc-%llu.sm", folder,
                   (unsigned long long)seed);
    wrong += system(command) >= 0;
}

static void run_apart(uint64_t seed) {
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(PATIENCE);
        _exit(run(seed));
    }
    const int status = wait_for(child);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    built += code == BUILT || code == REFUSED_BY_SYSTEM + 1;
    failed += code == REFUSED_BY_SYSTEM + 1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        stopped++;
    else if (code != BUILT && code != REFUSED_BY_SYSTEM && code != REFUSED_BY_SYSTEM + 1)
        keep(seed, status);
}

static void try_one(uint64_t seed) {
    base_text text = {0};
    make_protocol(seed, &text);
    inputs++;
    if (text.length > 0 && translate(&text)) {
        translated++;
        if (compile()) {
            compiled++;
            run_apart(seed);
        }
    }
    base_text_free(&text);
}

int main(int count, char **words) {
    if (count < 3 || mkdtemp(folder) == NULL) {
        (void)fprintf(stderr, "usage: run-slicc SEED COUNT [SECONDS]\n");
        return 2;
    }
    const uint64_t seed = strtoull(words[1], NULL, 10), most = strtoull(words[2], NULL, 10);
    const double seconds = count > 3 ? strtod(words[3], NULL) : 1e9, start = base_seconds();
    char command[64];
    mutate_start();
    for (uint64_t i = 0; i < most && base_seconds() - start < seconds; i++)
        try_one(seed + i);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    const int removed = system(command);
    (void)printf(
        "run-slicc: %llu protocols, %llu translated, %llu compiled, %llu built and run, %llu "
        "of these failed, %llu too slow, %llu sanitizer reports\n",
        (unsigned long long)inputs, (unsigned long long)translated, (unsigned long long)compiled,
        (unsigned long long)built, (unsigned long long)failed, (unsigned long long)stopped,
        (unsigned long long)wrong);
    return removed != 0 || wrong > 0 || built == 0;
}
