/* Pools: records in memory, each of a dataset's iterator that is under way. */

#include "pools.h"
#include "tf_records.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A pool is here between two calls, under a number that is given once and a version. An iterator
that nobody asks any more leaves its pool here, until there are too many: who asks for one that had
to go makes it anew. */
enum { KEPT = 16 };
static const size_t most_bytes = (size_t)1 << 29;
static Pool *kept[KEPT]; /* who came last stands first */
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

void drop_pool(Pool *pool) {
    if (!pool) return;
    free(pool->held);
    free(pool->order);
    free(pool->ids);
    free(pool);
}

Pool *new_pool(int64_t places, size_t record) {
    Pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    *pool = (Pool){.token = new_token(), .version = 1, .places = places, .record = record};
    pool->held = malloc((size_t)places * record);
    pool->order = malloc((size_t)places * sizeof *pool->order);
    pool->ids = malloc((size_t)places * sizeof *pool->ids);
    if (!pool->held || !pool->order || !pool->ids) {
        drop_pool(pool);
        return NULL;
    }
    for (int32_t i = 0; i < places; i++) pool->order[i] = i;
    return pool;
}

/* The pool of this number, as it was at this version; the caller's from now on. */
Pool *kept_pool(int64_t token, int64_t version) {
    Pool *found = NULL;
    pthread_mutex_lock(&kept_lock);
    for (int i = 0; i < KEPT; i++) {
        if (!kept[i] || kept[i]->token != token || kept[i]->version != version) continue;
        found = kept[i];
        memmove(&kept[i], &kept[i + 1], (size_t)(KEPT - 1 - i) * sizeof *kept);
        kept[KEPT - 1] = NULL;
        break;
    }
    pthread_mutex_unlock(&kept_lock);
    return found;
}

void keep_pool(Pool *pool) {
    Pool *gone[KEPT] = {NULL};
    pthread_mutex_lock(&kept_lock);
    gone[0] = kept[KEPT - 1];
    memmove(&kept[1], &kept[0], (KEPT - 1) * sizeof *kept);
    kept[0] = pool;
    size_t bytes = 0;
    for (int i = 0; i < KEPT && kept[i]; i++) {
        bytes += (size_t)kept[i]->places * kept[i]->record;
        if (i && bytes > most_bytes) {
            gone[i] = kept[i];
            kept[i] = NULL;
        }
    }
    pthread_mutex_unlock(&kept_lock);
    for (int i = 0; i < KEPT; i++) drop_pool(gone[i]);
}
