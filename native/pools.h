/* The pools of the op QueueioPool (pools.c). */

#ifndef QUEUEIO_POOLS_H
#define QUEUEIO_POOLS_H

#include "tensorflow.h"

typedef struct { /* a record */
    int64_t file, at; /* which it is of, and where it begins there */
    int64_t far;      /* its place in a tensor of what cannot be read again; NEAR where it can be */
} Id;
enum { NEAR = -1, ID = 3 };

typedef struct {
    int64_t token, version, places, count;
    size_t record;  /* bytes */
    char *held;     /* [places, record] */
    int32_t *order; /* [places]: those that hold a record, then those that are free */
    Id *ids;        /* of the records, in that order */
} Pool;

Pool *new_pool(int64_t places, size_t record);
Pool *kept_pool(int64_t token, int64_t version);
void keep_pool(Pool *pool);
void drop_pool(Pool *pool);

#endif
