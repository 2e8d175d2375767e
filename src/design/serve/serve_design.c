/* SPDX-License-Identifier: MIT */
/*
 * A design that a command plays: we start it, ask, and hear what it says (docs/serve.md;
 * serve_peer.h has the pipes, serve_line.h what lines mean). Whatever goes wrong with it in an
 * instance ends that instance, with a sentence; the next one starts the command again.
 */
#include "base/clock.h"
#include "base/lines.h"
#include "base/memory.h"
#include "base/text.h"
#include "design/design_kind.h"
#include "design/serve/serve_line.h"
#include "design/serve/serve_peer.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char prefix[] = "serve:";

enum { MOMENT = 1000 /* milliseconds, to end by itself */ };

typedef struct served {
    char **words; /* of the command */
    uint32_t cores;
    char *options; /* may be NULL */
    duv_wait wait;
    const volatile int *stop;
    bool is_stopping; /* it was asked to */
    bool is_deaf;     /* it closed its standard input */
    duv_peer peer;
    base_text described, described_first, names;
    duv_copy copy; /* with names in `names` */
    base_text request, program_text;
    const col_program *program;
    bool is_loaded; /* the program, in the command that runs now */
    duv_hearing hearing;
    uint64_t *hits;      /* of the instance */
    uint64_t *collected; /* of those before, that were not collected yet */
    uint32_t functional_count;
    uint64_t last_cycle, last_operations; /* at the last event that was passed on */
    char sentence[400];                   /* what went wrong with the command */
} served;

/* ---- Names. */

bool duv_is_serve(const char *what) {
    return strncmp(what, prefix, sizeof prefix - 1) == 0;
}

void duv_serve_identify(duv_hasher *hasher, const char *what, const char *error_name,
                        duv_identity *identity) {
    char **words;
    (void)error_name; /* it takes none */
    duv_hash_word(hasher, what);
    if (base_command_split(what + sizeof prefix - 1, &words, NULL) == COL_OK) {
        if (strchr(words[0], '/') != NULL)
            duv_hash_file(hasher, words[0]);
        free(words);
    }
    duv_hash_end(hasher, identity->file);
}

/* ---- What goes wrong with the command. */

typedef enum stage { HELLO, DESCRIBE, LOAD, RUN } stage;

static const struct {
    const char *task, *when;
} stages[] = {[HELLO] = {"say hello", "before it said hello"},
              [DESCRIBE] = {"describe itself", "while it described itself"},
              [LOAD] = {"load a program", "while it loaded a program"},
              [RUN] = {"end an instance", "in an instance"}};

/* Ends it and says what happened, in `sentence`. */
static void give_up(served *s, duv_heard how, stage at) {
    char last[160];
    bool by_itself;
    const size_t size = sizeof s->sentence;
    const int status = duv_peer_end(&s->peer, how == DUV_HEARD_GONE ? MOMENT : 0, &by_itself);
    s->is_loaded = false;
    if (how == DUV_HEARD_LATE && s->is_deaf)
        (void)snprintf(s->sentence, size, "the design closed its standard input %s",
                       stages[at].when);
    else if (how == DUV_HEARD_LATE)
        (void)snprintf(s->sentence, size, "the design did not %s within %g second%s",
                       stages[at].task, s->wait.limit, s->wait.limit == 1 ? "" : "s");
    else if (how == DUV_HEARD_TOO_LONG)
        (void)snprintf(s->sentence, size, "the design sent a line of more than %d KiB %s",
                       DUV_PEER_LINE / 1024, stages[at].when);
    else if (!by_itself || status == -1)
        (void)snprintf(s->sentence, size, "the design closed its standard output %s",
                       stages[at].when);
    else {
        base_process_tell("the design's command", status, s->sentence, size);
        const size_t length = strlen(s->sentence);
        (void)snprintf(s->sentence + length, size - length, "%s %s", WIFEXITED(status) ? "," : "",
                       stages[at].when);
    }
    const size_t length = strlen(s->sentence);
    duv_peer_last_complaint(&s->peer, last, sizeof last);
    if (last[0] != '\0')
        base_sentence(s->sentence + length, size - length, "; its last words on standard error: %s",
                      last);
}

/* It said what it should not have: the sentence is there. */
static void dismiss(served *s) {
    (void)duv_peer_end(&s->peer, 0, NULL);
    s->is_loaded = false;
}

static col_status refuse_silence(served *s, duv_heard how, stage at, col_problem *problem) {
    give_up(s, how, at);
    return base_refuse(problem, "%s", s->sentence);
}

static col_status refuse_line(served *s, const char *line, const char *expected,
                              col_problem *problem) {
    char quote[DUV_QUOTE];
    duv_words words = {line};
    size_t length;
    const char *word = duv_words_next(&words, &length);
    dismiss(s);
    if (duv_word_is(word, length, "failed") && !duv_words_end(&words)) {
        char reason[300];
        base_sentence(reason, sizeof reason, "%s", duv_words_rest(&words));
        base_make_printable(reason, false);
        return base_refuse(problem, "the design refused: %s", reason);
    }
    duv_serve_quote(quote, line);
    return base_refuse(problem, "the design said '%s', where %s was expected", quote, expected);
}

/* ---- Lines. */

/* A second more, and no longer. */
static void give_grace(duv_peer *peer, double now) {
    enum { GRACE = 1 };
    if (!peer->has_deadline || peer->deadline > now + GRACE) {
        peer->has_deadline = true;
        peer->deadline = now + GRACE;
    }
}

/* A stop from outside is passed on; an interrupt shortens the wait, too. */
static void look(void *context, double now) {
    static const char stop[] = "stop\n";
    served *s = context;
    duv_peer *peer = &s->peer;
    const bool is_interrupted = base_is_stopped(s->wait.interrupt);
    if ((base_is_stopped(s->stop) || (is_interrupted && s->stop != NULL)) && !s->is_stopping) {
        s->is_stopping = true; /* before it is sent: sending looks, too */
        (void)duv_peer_send(peer, stop, sizeof stop - 1);
    }
    if (is_interrupted)
        give_grace(peer, now);
}

/* One that does not listen any more may still have said why. */
static duv_heard ask(served *s, const char *request, size_t length, const volatile int *stop) {
    s->stop = stop;
    s->is_stopping = false;
    s->peer.has_deadline = s->wait.limit > 0;
    s->peer.deadline = base_seconds() + s->wait.limit;
    s->is_deaf = false;
    const duv_heard sent = duv_peer_send(&s->peer, request, length);
    if (sent != DUV_HEARD_GONE)
        return sent;
    s->is_deaf = true;
    give_grace(&s->peer, base_seconds());
    return DUV_HEARD;
}

/* The next line. One with a zero in it becomes one that nobody expects. */
static duv_heard hear(served *s, char **line) {
    static char zero[] = "(a line with a zero byte)";
    size_t length = 0;
    const duv_heard heard = duv_peer_line(&s->peer, line, &length);
    if (heard == DUV_HEARD && strlen(*line) != length)
        *line = zero;
    return heard;
}

/* The next that is not a comment. */
static duv_heard hear_answer(served *s, char **line) {
    enum { MOST_COMMENTS = 1 << 20 };
    duv_heard heard = DUV_HEARD;
    for (uint32_t i = 0; i < MOST_COMMENTS && heard == DUV_HEARD; i++) {
        heard = hear(s, line);
        if (heard == DUV_HEARD && !duv_serve_is_comment(*line))
            break;
    }
    return heard;
}

static bool is_answer(const char *line, const char *expected) {
    duv_words words = {line};
    size_t length;
    const char *word = duv_words_next(&words, &length);
    return duv_word_is(word, length, expected) && duv_words_end(&words);
}

/* ---- Opening. */

/* Simulators talk before the testbench does: what comes before hello is passed over, within reason.
 */
static col_status hear_hello(served *s, col_problem *problem) {
    enum { MOST_BEFORE = 1000 };
    char *line = NULL;
    for (uint32_t i = 0; i < MOST_BEFORE; i++) {
        const duv_heard heard = hear_answer(s, &line);
        if (heard != DUV_HEARD)
            return refuse_silence(s, heard, HELLO, problem);
        duv_words words = {line};
        uint64_t version;
        size_t length;
        const char *word = duv_words_next(&words, &length);
        if (duv_word_is(word, length, "hello") && duv_words_number(&words, &version)) {
            if (version == DUV_SERVE_VERSION)
                return COL_OK;
            dismiss(s);
            return base_refuse(
                problem, "the design speaks version %llu of the serve protocol, this is version %d",
                (unsigned long long)version, DUV_SERVE_VERSION);
        }
        if (duv_word_is(word, length, "failed"))
            break;
    }
    return refuse_line(s, line, "hello", problem);
}

static col_status say_hello(served *s, col_problem *problem) {
    char hello[32];
    const int length = snprintf(hello, sizeof hello, "hello %d\n", DUV_SERVE_VERSION);
    const duv_heard heard = ask(s, hello, (size_t)length, NULL);
    return heard == DUV_HEARD ? hear_hello(s, problem) : refuse_silence(s, heard, HELLO, problem);
}

/* The lines of its description, as they came. */
static col_status hear_description(served *s, col_problem *problem) {
    s->described.length = 0;
    while (true) {
        char *line = NULL;
        const duv_heard heard = hear_answer(s, &line);
        if (heard != DUV_HEARD)
            return refuse_silence(s, heard, DESCRIBE, problem);
        if (is_answer(line, "end"))
            break;
        if (!duv_serve_describes(line) || !base_is_utf8(line))
            return refuse_line(s, line, "a description", problem);
        base_text_add(&s->described, line);
        base_text_add(&s->described, "\n");
        if (s->described.length > DUV_SERVE_DESCRIPTION) {
            dismiss(s);
            return base_refuse(problem, "the design's description has more than %d MiB",
                               DUV_SERVE_DESCRIPTION >> 20);
        }
    }
    const col_status status = base_text_status(&s->described, problem);
    if (status != COL_OK)
        dismiss(s);
    return status;
}

static col_status ask_description(served *s, col_problem *problem) {
    s->request.length = 0;
    if (s->cores != 0)
        base_text_print(&s->request, "cores %u\n", s->cores);
    if (s->options != NULL)
        base_text_print(&s->request, "options %s\n", s->options);
    base_text_add(&s->request, "describe\n");
    const col_status status = base_text_status(&s->request, problem);
    if (status != COL_OK) {
        dismiss(s);
        return status;
    }
    const duv_heard heard = ask(s, s->request.data, s->request.length, NULL);
    return heard == DUV_HEARD ? hear_description(s, problem)
                              : refuse_silence(s, heard, DESCRIBE, problem);
}

/* Starts the command and hears how it describes itself. On failure there is no command. */
static col_status start(served *s, col_problem *problem) {
    const duv_peer_plan plan = {.words = s->words};
    col_status status = duv_peer_start(&s->peer, &plan, problem);
    s->is_loaded = false;
    if (status == COL_OK)
        status = say_hello(s, problem);
    return status == COL_OK ? ask_description(s, problem) : status;
}

/* It must be the same to everybody who has its description. */
static col_status restart(served *s, col_problem *problem) {
    const col_status status = start(s, problem);
    if (status != COL_OK || duv_is_same(&s->described, &s->described_first))
        return status;
    dismiss(s);
    return base_refuse(problem,
                       "the design described itself differently when it was started again");
}

static col_status describe_first(served *s, col_problem *problem) {
    s->described_first = s->described;
    s->described = (base_text){0};
    base_text_add_bytes(&s->names, s->described_first.data == NULL ? "" : s->described_first.data,
                        s->described_first.length);
    col_status status = base_text_status(&s->names, problem);
    if (status == COL_OK)
        status = duv_serve_describe(&s->names, &s->copy, problem);
    const col_duv_description *d = &s->copy.description;
    if (status == COL_OK && s->cores != 0 && d->cores != s->cores)
        status = base_refuse(problem, "the design was asked for %u cores and has %u", s->cores,
                             d->cores);
    if (status != COL_OK)
        return status;
    s->functional_count = col_duv_functional_count(d);
    s->hearing.description = d;
    BASE_TRY(base_new(&s->hits, (size_t)s->functional_count + 1, sizeof *s->hits, problem));
    s->hearing.hits = s->hits;
    return base_new(&s->collected, (size_t)s->functional_count + 1, sizeof *s->collected, problem);
}

static void close_served(void *state) {
    static const char quit[] = "quit\n";
    served *s = state;
    if (s->peer.process.id != 0) {
        s->wait.limit = 1;
        const duv_heard heard = ask(s, quit, sizeof quit - 1, NULL);
        (void)duv_peer_end(&s->peer, heard == DUV_HEARD ? MOMENT : 0, NULL);
    }
    duv_peer_free(&s->peer);
    duv_copy_free(&s->copy);
    duv_hearing_free(&s->hearing);
    base_text_free(&s->described);
    base_text_free(&s->described_first);
    base_text_free(&s->names);
    base_text_free(&s->request);
    base_text_free(&s->program_text);
    free(s->hits);
    free(s->collected);
    free(s->words);
    free(s->options);
    free(s);
}

static col_status copy_settings(served *s, const col_duv_settings *settings, col_problem *problem) {
    s->cores = settings->cores;
    if (settings->options == NULL || settings->options[0] == '\0')
        return COL_OK;
    if (strpbrk(settings->options, "\r\n") != NULL ||
        strlen(settings->options) >= DUV_PEER_LINE / 2)
        return base_refuse(problem,
                           "the options of a design behind the serve protocol are a line "
                           "of less than %d KiB",
                           DUV_PEER_LINE / 2048);
    s->options = strdup(settings->options);
    return s->options == NULL ? base_out_of_memory(problem) : COL_OK;
}

col_status duv_serve_open(void **state, const col_duv_settings *settings, double limit,
                          col_problem *problem) {
    served *s = NULL;
    BASE_TRY(base_new(&s, 1, sizeof *s, problem));
    s->wait.limit = limit;
    s->peer.look = look;
    s->peer.context = s;
    col_status status = base_command_split(settings->name + sizeof prefix - 1, &s->words, problem);
    if (status == COL_OK)
        status = copy_settings(s, settings, problem);
    if (status == COL_OK)
        status = start(s, problem);
    if (status == COL_OK)
        status = describe_first(s, problem);
    return duv_opened(state, s, status, close_served);
}

static col_status open_served(void **state, const col_duv_settings *settings,
                              col_problem *problem) {
    return duv_serve_open(state, settings, COL_DUV_LIMIT, problem);
}

static const col_duv_description *describe(void *state) {
    return &((const served *)state)->copy.description;
}

duv_wait *duv_serve_wait(void *state) {
    return &((served *)state)->wait;
}

/* ---- Programs. */

static col_status send_program(served *s, duv_heard *heard, col_problem *problem) {
    char *line = NULL;
    *heard = ask(s, s->program_text.data, s->program_text.length, NULL);
    if (*heard == DUV_HEARD)
        *heard = hear_answer(s, &line);
    if (*heard != DUV_HEARD)
        return refuse_silence(s, *heard, LOAD, problem);
    if (!is_answer(line, "ok"))
        return refuse_line(s, line, "ok", problem);
    s->is_loaded = true;
    return COL_OK;
}

/* A command with the program. One that ended after its last answer is started again. */
static col_status get_ready(served *s, col_problem *problem) {
    duv_heard heard = DUV_HEARD;
    col_status status = COL_OK;
    for (int tries = 0; tries < 2 && !s->is_loaded; tries++) {
        const bool is_new = s->peer.process.id == 0;
        status = is_new ? restart(s, problem) : COL_OK;
        if (status == COL_OK)
            status = send_program(s, &heard, problem);
        if (is_new || heard != DUV_HEARD_GONE)
            break;
    }
    return status;
}

static col_status load(void *state, const col_program *program, col_problem *problem) {
    served *s = state;
    s->is_loaded = false;
    s->program = program;
    s->program_text.length = 0;
    base_text_add(&s->program_text, "load\n");
    prg_program_write(program, &s->program_text);
    BASE_TRY(base_text_status(&s->program_text, problem));
    BASE_TRY(duv_hearing_load(&s->hearing, program, problem));
    return get_ready(s, problem);
}

/* ---- Instances. */

/* After a stop the observer hears nothing more, and what the instance came to is what it was then:
 * neither depends on where the design notices the stop. */
static void pass_on(served *s, const col_observer *observer, const volatile int *stop) {
    const col_event *event = &s->hearing.event;
    if (observer == NULL || (observer->kinds >> event->kind & 1) == 0 || base_is_stopped(stop))
        return;
    s->last_cycle = event->cycle;
    s->last_operations = s->hearing.operations;
    observer->notice(observer->context, event);
    if (base_is_stopped(stop))
        look(s, base_seconds());
}

/* What the design said of its own failure, for those who watch. */
static void tell_failure(const col_run *run, const col_observer *observer) {
    static const struct {
        col_run_end end;
        col_event_kind kind;
    } rows[] = {{COL_RUN_DEADLOCK, COL_DEADLOCK},
                {COL_RUN_STARVED, COL_DEADLOCK},
                {COL_RUN_INVARIANT, COL_INVARIANT_BROKEN}};
    for (size_t i = 0; observer != NULL && i < sizeof rows / sizeof rows[0]; i++)
        if (run->end == rows[i].end && (observer->kinds >> rows[i].kind & 1) != 0) {
            const col_event event = {
                .kind = rows[i].kind, .cycle = run->cycles, .message = run->message};
            observer->notice(observer->context, &event);
        }
}

/* Until the instance has ended. */
static duv_heard follow(served *s, const col_observer *observer, const volatile int *stop,
                        duv_said *said) {
    while (true) {
        char *line = NULL;
        const duv_heard heard = hear(s, &line);
        if (heard != DUV_HEARD)
            return heard;
        *said = duv_hearing_line(&s->hearing, line);
        if (*said == DUV_SAID_EVENT)
            pass_on(s, observer, stop);
        else if (*said != DUV_SAID_NOTHING)
            return DUV_HEARD;
    }
}

/* The command failed us: it is ended by now. */
static void end_crashed(const served *s, col_run_end end, const char *sentence, col_run *run) {
    *run = (col_run){.end = end, .cycles = s->last_cycle, .operations = s->last_operations};
    base_sentence(run->message, sizeof run->message, "%s", sentence);
}

static col_status ask_run(served *s, uint64_t seed, const col_observer *observer,
                          const volatile int *stop, duv_heard *heard, col_problem *problem) {
    const uint32_t kinds = observer == NULL ? 0 : observer->kinds;
    s->request.length = 0;
    base_text_print(&s->request, "run %llu%s%s\n", (unsigned long long)seed,
                    (kinds >> COL_EVICTION & 1) != 0 ? " evictions" : "",
                    (kinds >> COL_TRANSITION & 1) != 0 ? " transitions" : "");
    const col_status status = base_text_status(&s->request, problem);
    if (status == COL_OK)
        *heard = ask(s, s->request.data, s->request.length, stop);
    return status;
}

static col_status run_ready(served *s, uint64_t seed, const col_observer *observer,
                            const volatile int *stop, col_run *run, col_problem *problem) {
    duv_said said = DUV_SAID_NOTHING;
    duv_heard heard = DUV_HEARD;
    duv_hearing_begin(&s->hearing);
    BASE_TRY(ask_run(s, seed, observer, stop, &heard, problem));
    if (heard == DUV_HEARD)
        heard = follow(s, observer, stop, &said);
    s->stop = NULL;
    if (heard != DUV_HEARD) {
        give_up(s, heard, RUN);
        const bool is_late = heard == DUV_HEARD_LATE && !s->is_deaf;
        end_crashed(s, is_late ? COL_RUN_TIMED_OUT : COL_RUN_CRASHED, s->sentence, run);
    } else if (said == DUV_SAID_WRONG) {
        dismiss(s);
        end_crashed(s, COL_RUN_CRASHED, s->hearing.run.message, run);
    } else if (base_is_stopped(stop) || s->is_stopping) {
        *run = (col_run){.end = COL_RUN_STOPPED,
                         .cycles = s->last_cycle,
                         .operations = s->last_operations,
                         .message = "the run was stopped"};
    } else {
        *run = s->hearing.run;
        tell_failure(run, observer);
    }
    /* Of an instance that was stopped they would tell how fast we were. */
    const bool are_kept = heard == DUV_HEARD && said == DUV_SAID_END && run->end != COL_RUN_STOPPED;
    for (uint32_t i = 0; i < s->functional_count; i++) {
        s->collected[i] += are_kept ? s->hits[i] : 0;
        s->hits[i] = 0;
    }
    return COL_OK;
}

/* What it wrote to standard error since it was started. */
static void tell_complaints(served *s, const col_observer *observer) {
    if (observer == NULL || (observer->kinds >> COL_OUTPUT & 1) == 0)
        return;
    const col_event event = {.kind = COL_OUTPUT, .message = duv_peer_complaints(&s->peer)};
    if (event.message[0] != '\0')
        observer->notice(observer->context, &event);
}

static col_status run_instance(void *state, uint64_t seed, const col_observer *observer,
                               const volatile int *stop, col_run *run, col_problem *problem) {
    served *s = state;
    col_problem own;
    s->last_cycle = s->last_operations = 0;
    col_status status = get_ready(s, &own);
    if (status == COL_OK) {
        status = run_ready(s, seed, observer, stop, run, problem);
        tell_complaints(s, observer);
        return status;
    }
    if (status == COL_BAD_INPUT) {
        tell_complaints(s, observer);
        end_crashed(s, COL_RUN_CRASHED, own.message, run);
        return COL_OK;
    }
    if (problem != NULL)
        *problem = own;
    return status;
}

static void collect(void *state, uint64_t *hits) {
    served *s = state;
    for (uint32_t i = 0; i < s->functional_count; i++) {
        hits[i] += s->collected[i];
        s->collected[i] = 0;
    }
}

const col_duv_interface duv_serve = {
    .version = COL_DUV_VERSION,
    .name = "serve",
    .open = open_served,
    .close = close_served,
    .describe = describe,
    .load = load,
    .run = run_instance,
    .collect = collect,
};
