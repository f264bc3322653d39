/* The op QueueioPool: wide records of files, shuffled as they are read.

Each is copied twice: out of its file into its place in the pool, and from there to the row that
leaves. TensorFlow makes a string of every record first, and hands them on one by one.

Inputs:
    ids     int64 [n, 3]: the records that are held: the place of each one's file in `names`, the
            offset there where it begins, and its place in `far` or -1
    names   of files
    far     bytes [f, record]: records that cannot be read again
    known   number of the pool, 0 where there is none; its version; token of the file that is read
    file    the name of the file that records come from
    come    offset in it where they begin; how many come; whether a call after goes on behind them;
            how many leave
    data    the records, where TensorFlow has read them; else empty
    seed    two numbers, for the draws of this call
    sizes   places of the pool, bytes of a record, and whether it is asked where records are from
Outputs:
    new_ids, new_names, new_far, new_known   what the call after takes
    rows                                     bytes [how many leave, record]
    files, offsets                           [how many leave]: where they are from, if that is asked

The pool itself stays in memory (pools.c), where it changes with every call. What goes in and out
tells all of it, so any state that was handed out can be taken up, once more, or in another process:
where the pool is not what it was then, it is read from the files anew. */

#include "pools.h"
#include "tf_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *const no_attrs[] = {NULL};
static const char *const inputs[] = {
    "ids: int64", "names: string", "far: uint8", "known: int64", "file: string", "come: int64",
    "data: string", "seed: int64", "sizes: int64", NULL,
};
static const char *const outputs[] = {
    "new_ids: int64", "new_names: string", "new_far: uint8", "new_known: int64", "rows: uint8",
    "files: string", "offsets: int64", NULL,
};
enum { IDS, NAMES_OF_FILES, FAR, KNOWN, FILE_NAME, COME, DATA, SEED, SIZES, GIVEN };
static const int64_t numbers[GIVEN] = {[KNOWN] = 3, [FILE_NAME] = 1, [COME] = 4, [DATA] = 1,
                                       [SEED] = 2, [SIZES] = 3};
enum { AT_ONCE = 256 };

typedef struct { int64_t token, version, file; } Known;
typedef struct { int64_t at, count, more, leaving; } Come;
typedef struct { int64_t places, record, asked; } Sizes;
typedef struct {
    const Id *ids;
    const String *names, *name, *data;
    const char *far;
    const Known *known;
    const Come *come;
    const int64_t *seed;
    const Sizes *sizes;
    int64_t count, named, current, afar; /* current: the place of `name` among the names */
} Given;

static char *place(const Pool *pool, int64_t number) {
    return pool->held + (size_t)pool->order[number] * pool->record;
}

static void fail(const String *name, int code, const char *why, void *status) {
    size_t size = tf.TF_StringGetSize(name), more = strlen(why) + 1;
    char *text = malloc(size + 2 + more);
    if (text) {
        memcpy(text, tf.TF_StringGetDataPointer(name), size);
        memcpy(text + size, "; ", 2);
        memcpy(text + size + 2, why, more);
    }
    tf.TF_SetStatus(status, code, text ? text : why);
    free(text);
}

static int opened(const String *name, void *status) {
    errno = 0;
    int file = open_file(name);
    if (file < 0) fail(name, CODE_NOT_FOUND, strerror(errno ? errno : ENOENT), status);
    return file;
}

/* Reads records into the first places that are free; they do not count yet. */
static bool fill(const Pool *pool, int file, int64_t at, int64_t count) {
    struct iovec parts[AT_ONCE];
    for (int64_t done = 0; done < count;) {
        int many = 0;
        for (; many < AT_ONCE && done + many < count; many++)
            parts[many] = (struct iovec){place(pool, pool->count + done + many), pool->record};
        int64_t from = at + done * (int64_t)pool->record;
        done += many;
        if (preadv(file, parts, many, from) == (ssize_t)((size_t)many * pool->record)) continue;
        for (int i = 0; i < many; i++, from += (int64_t)pool->record) /* a signal, or an end */
            if (read_at(file, parts[i].iov_base, pool->record, from) != (int64_t)pool->record)
                return false;
    }
    return true;
}

/* A pool with the records that are told of. */
static Pool *made_anew(const Given *given, void *status) {
    Pool *pool = new_pool(given->sizes->places, (size_t)given->sizes->record);
    if (!pool) {
        tf.TF_SetStatus(status, CODE_INVALID, "no memory is left for the pool");
        return NULL;
    }
    int file = -1;
    for (int64_t last = -1; pool->count < given->count && good(status); pool->count++) {
        Id id = pool->ids[pool->count] = given->ids[pool->count];
        if (id.far != NEAR) {
            const char *record = given->far + (size_t)id.far * pool->record;
            memcpy(place(pool, pool->count), record, pool->record);
            continue;
        }
        const String *name = &given->names[id.file];
        if (id.file != last) {
            if (file >= 0) close(file);
            file = opened(name, status);
            last = id.file;
        }
        if (file >= 0 && !fill(pool, file, id.at, 1))
            fail(name, CODE_DATA_LOSS, "it is shorter than when it was read first", status);
    }
    if (file >= 0) close(file);
    if (good(status)) return pool;
    drop_pool(pool);
    return NULL;
}

static void read_in(Pool *pool, const Given *given, Known *known, void *status) {
    const Come *come = given->come;
    int file = kept_file(known->file);
    if (file < 0) file = opened(given->name, status);
    if (file < 0) return;
    if (!fill(pool, file, come->at, come->count))
        fail(given->name, CODE_DATA_LOSS, "it has become shorter while it was read", status);
    known->file = 0;
    if (come->more && good(status)) known->file = keep_file(file);
    else close(file);
}

static void put_in(Pool *pool, const Given *given, void *status) {
    const char *bytes = tf.TF_StringGetDataPointer(given->data);
    if (tf.TF_StringGetSize(given->data) != (size_t)given->come->count * pool->record) {
        tf.TF_SetStatus(status, CODE_INVALID, "data is not of as many records as come");
        return;
    }
    for (int64_t i = 0; i < given->come->count; i++, bytes += pool->record)
        memcpy(place(pool, pool->count + i), bytes, pool->record);
}

/* Lets the records in that were read. */
static void let_in(Pool *pool, const Given *given) {
    bool far = tf.TF_StringGetSize(given->data);
    for (int64_t i = 0; i < given->come->count; i++) {
        int64_t at = given->come->at + i * (int64_t)pool->record;
        pool->ids[pool->count++] = (Id){given->current, at, far ? 0 : NEAR};
    }
}

/* The next number of SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t random_number(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Draws the records that leave, and puts their ids behind those that stay. */
static void draw(Pool *pool, const int64_t *seed, char *rows, int64_t leaving) {
    uint64_t state = (uint64_t)seed[0];
    state = random_number(&state) ^ (uint64_t)seed[1];
    for (; leaving; leaving--, rows += pool->record) {
        uint64_t number = random_number(&state) >> 32;
        int64_t drawn = (int64_t)(number * (uint64_t)pool->count >> 32), last = --pool->count;
        memcpy(rows, place(pool, drawn), pool->record);
        int32_t free_now = pool->order[drawn];
        pool->order[drawn] = pool->order[last];
        pool->order[last] = free_now;
        Id left = pool->ids[drawn];
        pool->ids[drawn] = pool->ids[last];
        pool->ids[last] = left;
    }
}

static const String *name_of(const Given *given, int64_t number) {
    return number < given->named ? &given->names[number] : given->name;
}

static void copy(String *to, const String *from) {
    tf.TF_StringCopy(to, tf.TF_StringGetDataPointer(from), tf.TF_StringGetSize(from));
}

/* Gives the files and offsets of the records that left; see `draw`. */
static void give_origins(void *context, const Pool *pool, const Given *given, void *status) {
    int64_t count = given->sizes->asked ? given->come->leaving : 0;
    void *files = output(context, 5, TYPE_STRING, &count, 1, status), *offsets = NULL;
    if (files) offsets = output(context, 6, TYPE_INT64, &count, 1, status);
    for (int64_t i = 0; offsets && i < count; i++) {
        Id id = pool->ids[pool->count + count - 1 - i]; /* who left first is the last of them */
        copy((String *)tf.TF_TensorData(files) + i, name_of(given, id.file));
        ((int64_t *)tf.TF_TensorData(offsets))[i] = id.at;
    }
    if (offsets) tf.TF_DeleteTensor(offsets);
    if (files) tf.TF_DeleteTensor(files);
}

/* Gives the names of the files that still have a record in the pool, and numbers them anew. */
static void give_names(void *context, Pool *pool, const Given *given, void *status) {
    int64_t *number = calloc((size_t)given->named + 1, sizeof *number), count = 0;
    if (!number) {
        tf.TF_SetStatus(status, CODE_INVALID, "no memory is left");
        return;
    }
    for (int64_t i = 0; i < pool->count; i++) number[pool->ids[i].file] = 1;
    for (int64_t i = 0; i <= given->named; i++) count += number[i];
    void *names = output(context, 1, TYPE_STRING, &count, 1, status);
    if (names) {
        String *name = tf.TF_TensorData(names);
        for (int64_t i = 0, next = 0; i <= given->named; i++) {
            if (!number[i]) continue;
            copy(name++, name_of(given, i));
            number[i] = next++;
        }
        for (int64_t i = 0; i < pool->count; i++) pool->ids[i].file = number[pool->ids[i].file];
        tf.TF_DeleteTensor(names);
    }
    free(number);
}

static void give_far(void *context, Pool *pool, void *status) {
    int64_t shape[2] = {0, (int64_t)pool->record};
    for (int64_t i = 0; i < pool->count; i++)
        if (pool->ids[i].far != NEAR) pool->ids[i].far = shape[0]++;
    void *far = output(context, 2, TYPE_BYTE, shape, 2, status);
    if (!far) return;
    char *to = tf.TF_TensorData(far);
    for (int64_t i = 0; i < pool->count; i++) {
        if (pool->ids[i].far == NEAR) continue;
        memcpy(to, place(pool, i), pool->record);
        to += pool->record;
    }
    tf.TF_DeleteTensor(far);
}

static void give(void *context, int number, const int64_t *values, int64_t count, int64_t columns,
                 void *status) {
    int64_t shape[2] = {count, columns};
    void *tensor = output(context, number, TYPE_INT64, shape, columns ? 2 : 1, status);
    if (!tensor) return;
    size_t bytes = (size_t)(count * (columns ? columns : 1)) * sizeof *values;
    if (bytes) memcpy(tf.TF_TensorData(tensor), values, bytes);
    tf.TF_DeleteTensor(tensor);
}

static void give_all(void *context, Pool *pool, const Given *given, Known known, void *status) {
    int64_t shape[2] = {given->come->leaving, (int64_t)pool->record};
    void *rows = output(context, 4, TYPE_BYTE, shape, 2, status);
    if (!rows) return;
    draw(pool, given->seed, tf.TF_TensorData(rows), given->come->leaving);
    tf.TF_DeleteTensor(rows);
    known.token = pool->token;
    known.version = ++pool->version;
    give_origins(context, pool, given, status);
    if (good(status)) give_names(context, pool, given, status);
    if (good(status)) give_far(context, pool, status);
    if (good(status)) give(context, 0, (const int64_t *)pool->ids, pool->count, ID, status);
    if (good(status)) give(context, 3, (const int64_t *)&known, 3, 0, status);
}

static bool same(const String *one, const String *other) {
    size_t size = tf.TF_StringGetSize(one);
    return size == tf.TF_StringGetSize(other)
           && !memcmp(tf.TF_StringGetDataPointer(one), tf.TF_StringGetDataPointer(other), size);
}

/* Whether the tensors go together, and what comes and leaves finds its place. */
static bool fits(void *const *tensors, Given *given) {
    for (int i = 0; i < GIVEN; i++)
        if (numbers[i] && tf.TF_TensorElementCount(tensors[i]) != numbers[i]) return false;
    *given = (Given){
        .ids = tf.TF_TensorData(tensors[IDS]), .names = tf.TF_TensorData(tensors[NAMES_OF_FILES]),
        .name = tf.TF_TensorData(tensors[FILE_NAME]), .data = tf.TF_TensorData(tensors[DATA]),
        .far = tf.TF_TensorData(tensors[FAR]), .known = tf.TF_TensorData(tensors[KNOWN]),
        .come = tf.TF_TensorData(tensors[COME]), .seed = tf.TF_TensorData(tensors[SEED]),
        .sizes = tf.TF_TensorData(tensors[SIZES]),
        .count = tf.TF_TensorElementCount(tensors[IDS]) / ID,
        .named = tf.TF_TensorElementCount(tensors[NAMES_OF_FILES]),
    };
    given->current = given->named;
    if (given->named && same(&given->names[given->named - 1], given->name)) given->current--;
    const Come *come = given->come;
    int64_t bytes, record = given->sizes->record, far = tf.TF_TensorElementCount(tensors[FAR]), end;
    if (given->sizes->places < 1 || given->sizes->places > INT32_MAX || record < 1) return false;
    if (__builtin_mul_overflow(given->sizes->places, record, &bytes) || far % record) return false;
    given->afar = far / record;
    if (come->at < 0 || come->count < 0 || come->leaving < 0) return false;
    if (come->count > given->sizes->places - given->count) return false; /* nor more held */
    if (come->leaving > given->count + come->count) return false;
    if (__builtin_add_overflow(come->at, come->count * record, &end)) return false;
    for (int64_t i = 0; i < given->count; i++) {
        Id id = given->ids[i];
        if (id.file < 0 || id.file >= given->named || id.at < 0 || id.at > INT64_MAX - record)
            return false;
        if (id.far < NEAR || id.far >= given->afar) return false;
    }
    return true;
}

static void shuffle_and_give(void *context, void *const *tensors, void *status) {
    Given given;
    if (!fits(tensors, &given)) {
        tf.TF_SetStatus(status, CODE_INVALID, "a pool's state, and numbers that go with it");
        return;
    }
    Known known = *given.known;
    Pool *pool = kept_pool(known.token, known.version);
    if (pool && (pool->places != given.sizes->places || pool->count != given.count
                 || pool->record != (size_t)given.sizes->record)) {
        keep_pool(pool); /* of another one, by a number that was made up */
        pool = NULL;
    }
    if (!pool) pool = made_anew(&given, status);
    if (!pool) return;
    if (tf.TF_StringGetSize(given.data)) put_in(pool, &given, status);
    else if (given.come->count) read_in(pool, &given, &known, status);
    if (good(status)) {
        let_in(pool, &given);
        give_all(context, pool, &given, known, status);
        if (good(status) && pool->count) keep_pool(pool);
        else drop_pool(pool);
    } else keep_pool(pool); /* as it was: only free places were written to */
}

const Op pool_op = {"QueueioPool", no_attrs, inputs, outputs, shuffle_and_give};
