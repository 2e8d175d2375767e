/* SPDX-License-Identifier: MIT */
/* The odd peer: see odd.h. It knows the program that the tests load: five operations, the first and
 * the third of them stores, the last a swap. */
#include "peers/odd.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool shows_reads;
static const char *oddity = "";

static bool is_odd(const char *word) {
    return strcmp(oddity, word) == 0;
}

_Noreturn static void be_silent(void) {
    (void)fflush(stdout);
    while (true)
        (void)pause();
}

static void wait_for(long milliseconds) {
    const struct timespec time = {.tv_nsec = milliseconds * 1000000};
    (void)fflush(stdout);
    (void)nanosleep(&time, NULL);
}

static void repeat(const char *text, int count) {
    for (int i = 0; i < count; i++)
        (void)fputs(text, stdout);
}

/* ---- Before it runs. */

static void say_hello(void) {
    if (is_odd("exits")) {
        (void)fputs("trying the server\nno licence today\n", stderr);
        exit(3);
    }
    if (is_odd("silent"))
        be_silent();
    if (is_odd("babbles"))
        repeat("babble\n", 2000);
    if (is_odd("banner"))
        repeat("Simulator of gates, all rights reserved\n\n", 3);
    if (is_odd("endless-line"))
        repeat("0123456789abcdef", 5000);
    if (is_odd("zero"))
        (void)fwrite("hel\0lo 1\n", 1, 9, stdout);
    if (is_odd("no-licence"))
        (void)puts("failed the licence server is down");
    (void)puts(is_odd("version") ? "hello 7" : "hello 1");
}

static void describe(void) {
    if (is_odd("mute"))
        be_silent();
    if (is_odd("garbage"))
        (void)puts("I am a design");
    if (is_odd("refuses"))
        (void)puts("failed the board does not answer");
    if (is_odd("large"))
        repeat("name 0123456789abcdef0123456789abcdef0123456789abcdef0123456789\n", 300000);
    if (is_odd("ends"))
        exit(0);
    (void)puts("name odd\ncores 2\nmodel tso\n# a comment");
    (void)printf("shows %s\n", shows_reads ? "reads" : "events");
    (void)puts("machine M 2 private\npoint A B\npoint C\nend");
}

static void load(void) {
    char line[1024];
    while (fgets(line, sizeof line, stdin) != NULL && strcmp(line, "end\n") != 0) {
    }
    if (is_odd("slow-load"))
        be_silent();
    if (is_odd("dead-load"))
        exit(5);
    (void)puts(is_odd("bad-load")  ? "fine"
               : is_odd("no-load") ? "failed no room for this program"
                                   : "ok");
}

/* ---- Instances. */

/* Thread 0: store a0 1, load a1 = 2. Thread 1: store a1 2, load a0 = 1, swap a0 3 = 1. */
static void tell(int operation) {
    static const char *const events[] = {"store 0 1 0", "load 1 2", "store 2 2 0", "load 3 0x1",
                                         "store 4 3 1 1 memory"};
    static const char *const reads[] = {"", "read 1 2", "", "\tread  3 0x1\r", "read 4 1"};
    (void)puts(shows_reads ? reads[operation] : events[operation]);
}

static void tell_all(int but) {
    static const int order[] = {0, 2, 1, 3, 4};
    for (int i = 0; i < 5; i++)
        if (order[i] != but)
            tell(order[i]);
    (void)puts("cycle 7\nhit 0 1 0 3\nhit 0 0 1");
    if (shows_reads)
        (void)puts("final a0 3\nfinal 1 2");
    (void)puts("end complete 9");
}

static void fork_and_hang(void) {
    const pid_t child = fork();
    if (child == 0)
        be_silent();
    (void)printf("end invariant 0 %d\n", (int)child);
}

static void talk(bool until_stop) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char line[64] = "";
    while (!until_stop || poll(&input, 1, 0) == 0)
        repeat("# still at work\n", 1000);
    (void)puts(fgets(line, sizeof line, stdin) != NULL && strcmp(line, "stop\n") == 0
                   ? "hit 0 0 0\nend stopped 3"
                   : "end stopped 4");
}

/* Whatever a sanitizer would say of it. */
static void crash(void) {
    (void)fflush(stdout);
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
}

static void run_wrong(unsigned long seed) {
    tell(shows_reads ? 3 : 0);
    if (seed == ODD_GARBAGE)
        (void)puts("\x1b[31mSegmentation fault (core dumped)");
    else if (seed == ODD_SILENT)
        be_silent();
    else if (seed == ODD_EXITS)
        exit(4);
    else if (seed == ODD_CRASHES)
        crash();
    else if (seed == ODD_TALKS || seed == ODD_UNTIL_STOP)
        talk(seed == ODD_UNTIL_STOP);
    else if (seed == ODD_ENDLESS)
        repeat("0123456789abcdef", 5000);
    else if (seed == ODD_ZERO)
        (void)fwrite("read\0 1 2\n", 1, 10, stdout);
    else if (seed == ODD_NOWHERE)
        (void)puts(shows_reads ? "read 5 1" : "load 5 1");
    else if (seed == ODD_STORE_READ)
        (void)puts(shows_reads ? "read 2 2" : "load 2 2");
    else if (seed == ODD_MACHINE)
        (void)puts("hit 1 0 0");
    else if (seed == ODD_TWICE)
        tell(shows_reads ? 3 : 0);
    else if (seed == ODD_FAILED)
        (void)puts("failed the board was unplugged");
    else if (seed == ODD_DEADLOCK)
        (void)puts("end deadlock 12 core 1 waits for a1");
    else if (seed == ODD_PROTOCOL)
        (void)puts("end protocol-error 13");
    else if (seed == ODD_INVARIANT)
        (void)puts("end invariant 14 two writers");
    else if (seed == ODD_ODD_END)
        (void)puts("end well");
    else if (seed == ODD_HANGS_UP)
        (void)(fflush(stdout), close(STDOUT_FILENO), pause());
    else if (seed == ODD_FORKS)
        fork_and_hang();
}

static void run(unsigned long seed) {
    if (seed == ODD_COMPLAINS)
        for (int i = 0; i < 100000; i++)
            (void)fprintf(stderr, "complaint %d\n", i);
    if (seed == ODD_IGNORES)
        wait_for(200);
    if (seed == ODD_DEAF)
        (void)close(STDIN_FILENO);
    if (seed == ODD_TELLS_SEED || seed >= ODD_COUNT)
        (void)printf("end stopped %lu\n", seed);
    else if (seed == ODD_FINE || seed == ODD_COMPLAINS || seed == ODD_IGNORES ||
             seed == ODD_LEAVES || seed == ODD_DEAF)
        tell_all(-1);
    else if (seed == ODD_LACKS)
        tell_all(1);
    else
        run_wrong(seed);
    if (seed == ODD_DEAF)
        be_silent();
    if (seed == ODD_LEAVES)
        exit(0);
}

int main(int count, char **words) {
    char line[1024];
    shows_reads = count > 1 && strcmp(words[1], "reads") == 0;
    oddity = count > 2 ? words[2] : "";
    while (fgets(line, sizeof line, stdin) != NULL && strcmp(line, "quit\n") != 0) {
        if (strncmp(line, "hello ", 6) == 0)
            say_hello();
        else if (strcmp(line, "describe\n") == 0)
            describe();
        else if (strcmp(line, "load\n") == 0)
            load();
        else if (strncmp(line, "run ", 4) == 0)
            run(strtoul(line + 4, NULL, 10));
        (void)fflush(stdout);
    }
    return 0;
}
