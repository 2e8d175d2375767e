/* SPDX-License-Identifier: MIT */
/* The folder of a campaign on a cluster may be somebody else's: neither what it says of the
 * campaign nor a batch crashes its reader, and what is taken from it keeps its bounds. The text is
 * read as both. */
#include "base/file.h"
#include "base/json.h"
#include "fuzz.h"
#include "results/cluster/cluster.h"

#include <sys/stat.h>

static char folder[64], campaign_path[96], batches[96], batch_path[128];

static void clean_up(void) {
    (void)unlink(campaign_path);
    (void)unlink(batch_path);
    (void)rmdir(batches);
    (void)rmdir(folder);
}

static void prepare(void) {
    (void)snprintf(folder, sizeof folder, "/dev/shm/fuzz-%ld.db.cluster", (long)getpid());
    (void)snprintf(campaign_path, sizeof campaign_path, "%s/campaign.json", folder);
    (void)snprintf(batches, sizeof batches, "%s/batches", folder);
    (void)snprintf(batch_path, sizeof batch_path, "%s/00000-0000x3.json", batches);
    require(mkdir(folder, 0700) == 0 && mkdir(batches, 0700) == 0 && atexit(clean_up) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static cam_cluster cluster;
    col_problem problem = {0};
    cam_batch batch = {0};
    char store[64];
    if (folder[0] == '\0')
        prepare();
    put_file(campaign_path, data, size);
    put_file(batch_path, data, size);
    col_status status = cam_cluster_read(&cluster, folder, &problem);
    require_sentence(status, &problem);
    if (status == COL_OK) {
        (void)snprintf(store, sizeof store, "%.*s", (int)(strlen(folder) - strlen(".cluster")),
                       folder);
        require(strcmp(cluster.out, store) == 0);
        require(cluster.tasks >= 1 && cluster.tasks <= CAM_CLUSTER_MOST_TASKS);
        require(cluster.jobs >= 1 && cluster.jobs <= CAM_MOST_JOBS);
        require(cam_cluster_write(&cluster, NULL) == COL_OK);
        require(cam_cluster_read(&cluster, folder, NULL) == COL_OK);
    }
    (void)snprintf(cluster.folder, sizeof cluster.folder, "%s", folder);
    status = cam_batch_read(&batch, &cluster, "00000-0000x3", &problem);
    require_sentence(status, &problem);
    for (size_t i = 0; i < batch.count && status == COL_OK; i++)
        require(batch.trials[i].cost >= 0);
    if (status == COL_OK) {
        const size_t count = batch.count;
        require(cam_batch_write(&batch, &cluster, NULL) == COL_OK);
        require(cam_batch_read(&batch, &cluster, "00000-0000x3", NULL) == COL_OK);
        require(batch.count == count);
    }
    cam_batch_free(&batch);
    return 0;
}
