/* The op QueueioPool: wide records of files, shuffled as they are read.

Each is copied twice: out of its file into its place in the pool, and from there to the row that
leaves. TensorFlow makes a string of every record first, and hands them on one by one.

Inputs:
    held    bytes [places, record]; of no places: a pool is made. It is WRITTEN TO, see below
    order   int32 [places]: which places hold a record, then which are free
    known   how many hold one; token of the file that is read, 0 where there is none
    file    its name
    come    offset in it where records begin; how many come; whether a call after goes on behind
            them; how many leave
    data    the records, where TensorFlow has read them; else empty
    seed    two numbers, for the draws of this call
    sizes   places, and bytes of a record
Outputs:
    new_held, new_order, new_known   what the call after takes
    rows                             bytes [how many leave, record]

A tensor belongs to its op, but a pool that is copied for each batch costs more than all the rest.
So it is the same tensor that goes in and comes out. A call writes only to places that are free by
its own `order`: what went in is as good as before, and who has to call again may. */

#include "tf_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *const no_attrs[] = {NULL};
static const char *const inputs[] = {
    "held: uint8", "order: int32", "known: int64", "file: string", "come: int64", "data: string",
    "seed: int64", "sizes: int64", NULL,
};
static const char *const outputs[] = {
    "new_held: uint8", "new_order: int32", "new_known: int64", "rows: uint8", NULL,
};
enum { HELD, ORDER, KNOWN, NAME, COME, DATA, SEED, SIZES, GIVEN };
static const int64_t numbers[GIVEN] = {[KNOWN] = 2, [NAME] = 1, [COME] = 4, [DATA] = 1, [SEED] = 2,
                                       [SIZES] = 2};
enum { AT_ONCE = 256 };

typedef struct {
    char *held;
    int32_t *order;
    int64_t places, filled, token;
    size_t record;
} Pool;

static char *place(const Pool *pool, int64_t number) {
    return pool->held + (size_t)pool->order[number] * pool->record;
}

/* Reads records into the first places that are free; false if the file has not that many. */
static bool fill(const Pool *pool, int file, int64_t at, int64_t count) {
    struct iovec parts[AT_ONCE];
    for (int64_t done = 0; done < count;) {
        int many = 0;
        for (; many < AT_ONCE && done + many < count; many++)
            parts[many] = (struct iovec){place(pool, pool->filled + done + many), pool->record};
        int64_t from = at + done * (int64_t)pool->record;
        done += many;
        if (preadv(file, parts, many, from) == (ssize_t)((size_t)many * pool->record)) continue;
        for (int i = 0; i < many; i++, from += (int64_t)pool->record) /* a signal, or an end */
            if (read_at(file, parts[i].iov_base, pool->record, from) != (int64_t)pool->record)
                return false;
    }
    return true;
}

static void fail(const String *name, int code, const char *why, void *status) {
    size_t size = tf.TF_StringGetSize(name), room = size + strlen(why) + 3;
    char *text = malloc(room);
    if (text) {
        memcpy(text, tf.TF_StringGetDataPointer(name), size);
        memcpy(text + size, "; ", 2);
        memcpy(text + size + 2, why, strlen(why) + 1);
    }
    tf.TF_SetStatus(status, code, text ? text : why);
    free(text);
}

static void read_in(Pool *pool, const String *name, const int64_t *come, void *status) {
    int file = kept_file(pool->token);
    if (file < 0) file = open_file(name);
    if (file < 0) {
        fail(name, CODE_NOT_FOUND, strerror(errno ? errno : ENOENT), status);
        return;
    }
    if (!fill(pool, file, come[0], come[1]))
        fail(name, CODE_DATA_LOSS, "it has become shorter while it was read", status);
    pool->token = 0;
    if (come[2] && good(status)) pool->token = keep_file(file);
    else close(file);
}

static void put_in(const Pool *pool, const String *data, int64_t count, void *status) {
    if (tf.TF_StringGetSize(data) != (size_t)count * pool->record) {
        tf.TF_SetStatus(status, CODE_INVALID, "data is not of as many records as come");
        return;
    }
    const char *bytes = tf.TF_StringGetDataPointer(data);
    for (int64_t i = 0; i < count; i++, bytes += pool->record)
        memcpy(place(pool, pool->filled + i), bytes, pool->record);
}

/* The next number of SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t random_number(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void draw(Pool *pool, const int64_t *seed, char *rows, int64_t count) {
    uint64_t state = (uint64_t)seed[0];
    state = random_number(&state) ^ (uint64_t)seed[1];
    for (int64_t i = 0; i < count; i++, rows += pool->record) {
        uint64_t number = random_number(&state) >> 32;
        int64_t drawn = (int64_t)(number * (uint64_t)pool->filled >> 32);
        memcpy(rows, place(pool, drawn), pool->record);
        int32_t free_now = pool->order[drawn];
        pool->order[drawn] = pool->order[--pool->filled];
        pool->order[pool->filled] = free_now;
    }
}

/* Whether the tensors go together, and what leaves and comes finds its place. */
static bool fits(void *const *given) {
    for (int i = 0; i < GIVEN; i++)
        if (numbers[i] && tf.TF_TensorElementCount(given[i]) != numbers[i]) return false;
    const int64_t *known = tf.TF_TensorData(given[KNOWN]), *come = tf.TF_TensorData(given[COME]);
    const int64_t *sizes = tf.TF_TensorData(given[SIZES]);
    int64_t places = tf.TF_TensorElementCount(given[ORDER]), bytes, coming;
    if (sizes[0] < 1 || sizes[0] > INT32_MAX || sizes[1] < 1) return false;
    if (__builtin_mul_overflow(sizes[0], sizes[1], &bytes)) return false;
    if (places && places != sizes[0]) return false;
    if (tf.TF_TensorElementCount(given[HELD]) != (places ? bytes : 0)) return false;
    if (come[0] < 0 || come[1] < 0 || come[3] < 0 || known[0] < 0) return false;
    if (__builtin_add_overflow(known[0], come[1], &coming)) return false;
    if (known[0] > places || coming > sizes[0] || come[3] > coming) return false;
    const int32_t *order = tf.TF_TensorData(given[ORDER]);
    for (int64_t i = 0; i < places; i++)
        if (order[i] < 0 || order[i] >= places) return false;
    return true;
}

static void shuffle_and_give(void *context, void *const *given, void *status) {
    Pool pool;
    if (!fits(given)) {
        tf.TF_SetStatus(status, CODE_INVALID, "a pool, its order, and numbers that go with it");
        return;
    }
    const int64_t *known = tf.TF_TensorData(given[KNOWN]), *come = tf.TF_TensorData(given[COME]);
    const int64_t *sizes = tf.TF_TensorData(given[SIZES]);
    int64_t shape[2] = {sizes[0], sizes[1]}, leaving[2] = {come[3], sizes[1]}, two = 2;
    bool begun = tf.TF_TensorElementCount(given[ORDER]);
    void *held, *order, *now, *rows;
    if (!(order = output(context, 1, TYPE_INT32, shape, 1, status))) return;
    pool = (Pool){.order = tf.TF_TensorData(order), .places = sizes[0], .filled = known[0],
                  .token = known[1], .record = (size_t)sizes[1]};
    if (begun) memcpy(pool.order, tf.TF_TensorData(given[ORDER]), (size_t)shape[0] * sizeof(int32_t));
    else for (int32_t i = 0; i < shape[0]; i++) pool.order[i] = i;
    held = begun ? given[HELD] : output(context, 0, TYPE_BYTE, shape, 2, status);
    if (begun) tf.TF_SetOutput(context, 0, held, status);
    if (good(status)) {
        pool.held = tf.TF_TensorData(held);
        const String *data = tf.TF_TensorData(given[DATA]);
        if (tf.TF_StringGetSize(data)) put_in(&pool, data, come[1], status);
        else if (come[1]) read_in(&pool, tf.TF_TensorData(given[NAME]), come, status);
    }
    if (good(status) && (rows = output(context, 3, TYPE_BYTE, leaving, 2, status))) {
        pool.filled += come[1];
        draw(&pool, tf.TF_TensorData(given[SEED]), tf.TF_TensorData(rows), come[3]);
        tf.TF_DeleteTensor(rows);
        if ((now = output(context, 2, TYPE_INT64, &two, 1, status))) {
            memcpy(tf.TF_TensorData(now), (int64_t[]){pool.filled, pool.token}, 2 * sizeof(int64_t));
            tf.TF_DeleteTensor(now);
        }
    }
    if (held && !begun) tf.TF_DeleteTensor(held);
    tf.TF_DeleteTensor(order);
}

const Op pool_op = {"QueueioPool", no_attrs, inputs, outputs, shuffle_and_give};
