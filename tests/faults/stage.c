/* SPDX-License-Identifier: MIT */
/* Where a job runs: see stage.h. */
#include "faults/stage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TIME_LIMIT = 300 }; /* what hangs, hangs for ever: a busy machine takes tens of seconds */

void fault_die(const char *what) {
    (void)fprintf(stderr, "faults: %s\n", what);
    exit(2);
}

void fault_stage_open(fault_stage *stage, const char *command) {
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char memory[96];
    *stage = (fault_stage){.command = command};
    (void)snprintf(stage->folder, sizeof stage->folder, "%s/collider-faults-XXXXXX", place);
    if (mkdtemp(stage->folder) == NULL)
        fault_die("cannot make a folder for the runs");
    (void)snprintf(memory, sizeof memory, "%s/memory", stage->folder); /* of the compiler */
    if (mkdir(memory, 0777) != 0 || setenv("FAULTS_MEMORY", memory, 1) != 0)
        fault_die("cannot make a folder for the compiler");
}

void fault_stage_number(fault_stage *stage, long number) {
    (void)snprintf(stage->start, sizeof stage->start, "%s/start-%ld", stage->folder, number);
    (void)snprintf(stage->run, sizeof stage->run, "%s/run-%ld", stage->folder, number);
    (void)snprintf(stage->page_path, sizeof stage->page_path, "%s/page-%ld", stage->folder, number);
    const int file = open(stage->page_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof *stage->page) != 0)
        fault_die("cannot make the page of counters");
    stage->page = mmap(NULL, sizeof *stage->page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    if (stage->page == MAP_FAILED)
        fault_die("cannot map the page of counters");
}

void fault_stage_close(fault_stage *stage) {
    fault_folder_remove(stage->folder);
}

/* Names of folders may be in what a job begins with: it is prepared where it will run, and kept. */
static void prepare(fault_stage *stage, const fault_job *job) {
    char shell[4096];
    if (stage->prepared != NULL && job->prepare != NULL &&
        strcmp(stage->prepared, job->prepare) == 0)
        return;
    stage->prepared = job->prepare;
    fault_folder_remove(stage->start);
    fault_folder_remove(stage->run);
    (void)snprintf(shell, sizeof shell, "mkdir -p %s/tmp && cd %s && %s", stage->run, stage->run,
                   job->prepare == NULL ? ":" : job->prepare);
    fault_environment(stage->run);
    (void)setenv("COLLIDER", stage->command, 1);
    (void)setenv("SOURCE", FAULTS_SOURCE, 1);
    if (system(shell) != 0) { /* NOLINT: the commands are the project's own */
        (void)fprintf(stderr, "faults: %s: cannot prepare: %s\n", job->name, shell);
        exit(2);
    }
    fault_folder_copy(stage->run, stage->start);
}

static void split_words(fault_stage *stage) {
    int count = 0;
    char *rest = NULL;
    stage->words[count++] = stage->command;
    (void)snprintf(stage->text, sizeof stage->text, "%s", stage->job->words);
    for (char *word = strtok_r(stage->text, " ", &rest); word != NULL && count < FAULT_WORDS - 1;
         word = strtok_r(NULL, " ", &rest))
        stage->words[count++] = word;
    stage->words[count] = NULL;
}

void fault_stage_reset(fault_stage *stage) {
    fault_folder_remove(stage->run);
    fault_folder_copy(stage->start, stage->run);
}

void fault_stage_go(fault_stage *stage, const fault_request *fault, fault_outcome *outcome) {
    fault_run(stage->words, stage->run, fault, stage->page, stage->page_path, TIME_LIMIT, outcome);
    outcome->output.length = fault_canonical(outcome->output.data, outcome->output.length);
    outcome->output.data[outcome->output.length] = '\0';
}

void fault_stage_run(fault_stage *stage, const fault_request *fault, fault_outcome *outcome,
                     fault_tree *tree) {
    fault_stage_reset(stage);
    fault_stage_go(stage, fault, outcome);
    fault_tree_read(tree, stage->run);
}

void fault_stage_try(fault_stage *stage, const fault_request *fault, fault_finding *finding) {
    fault_outcome outcome;
    fault_tree tree;
    finding->fault = *fault;
    fault_stage_run(stage, fault, &outcome, &tree);
    fault_judge(stage, &outcome, &tree, finding);
    fault_outcome_free(&outcome);
    fault_tree_free(&tree);
}

void fault_stage_begin(fault_stage *stage, const fault_job *job, bool watch,
                       fault_finding *finding) {
    stage->job = job;
    prepare(stage, job);
    split_words(stage);
    fault_tree_read(&stage->before, stage->start);
    fault_stage_run(stage, &(fault_request){.kind = FAULT_NONE, .watch = watch, .record = true},
                    &stage->undisturbed, &stage->after);
    if (stage->undisturbed.status > 1 || stage->undisturbed.status < 0)
        fault_problem(finding, "exit %d: %.300s", stage->undisturbed.status,
                      stage->undisturbed.errors.data);
    fault_stage_try(stage, &(fault_request){.kind = FAULT_NONE}, finding);
}

void fault_stage_end(fault_stage *stage) {
    fault_tree_free(&stage->before);
    fault_tree_free(&stage->after);
    fault_outcome_free(&stage->undisturbed);
}
