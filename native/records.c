/* Records, cut out of files. Each is its length (8 bytes), a checksum of that (4), itself, and a
checksum of itself (4). */

#include "tf_records.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, HEAD = 12, SUM = 4 };
enum { GOOD, END, TORN, BAD }; /* TORN: the file ends within a length */

typedef struct {
    int file;
    int64_t at;      /* offset in the file of what has not been taken */
    size_t from, to; /* where in the block that lies, as far as it is read */
    char *block;
} Source;

/* How many of the next `size` bytes are there, and in the block; -1 if they cannot be read. */
static int64_t ready(Source *source, size_t size) {
    size_t held = source->to - source->from;
    if (held < size) {
        memmove(source->block, source->block + source->from, held);
        int64_t at = source->at + (int64_t)held;
        int64_t got = read_at(source->file, source->block + held, BLOCK - held, at);
        if (got < 0) return -1;
        source->from = 0;
        source->to = held += (size_t)got;
    }
    return (int64_t)(held < size ? held : size);
}

static void take(Source *source, size_t size) {
    source->from += size;
    source->at += (int64_t)size;
}

static bool read_short(Source *source, size_t size, Sink *sink) {
    if (ready(source, size + SUM) < (int64_t)size + SUM) return false;
    const char *data = source->block + source->from;
    if (!checked(data, size, data + size) || !sink->take(sink, data, size)) return false;
    take(source, size + SUM);
    return true;
}

/* A record that the block has no room for goes where it belongs at once. */
static bool fill(Source *source, size_t size, String *record) {
    char *bytes = room_for(record, size), sum[SUM];
    if (!bytes) return false;
    size_t held = source->to - source->from;
    int64_t rest = (int64_t)(size - held), at = source->at + (int64_t)held;
    memcpy(bytes, source->block + source->from, held);
    source->from = source->to = 0;
    source->at += (int64_t)size + SUM;
    return read_at(source->file, bytes + held, size - held, at) == rest &&
           read_at(source->file, sum, SUM, at + rest) == SUM && checked(bytes, size, sum);
}

static bool read_long(Source *source, size_t size, Sink *sink) {
    struct stat found;
    if (fstat(source->file, &found) || found.st_size - source->at < (int64_t)size) return false;
    String record = {{0}};
    bool good = fill(source, size, &record) && sink->take_whole(sink, &record);
    if (!good) tf.TF_StringDealloc(&record);
    return good;
}

/* Reads one record. A length is believed when its checksum is right, and the file as long. */
static int read_record(Source *source, Sink *sink) {
    int64_t there = ready(source, HEAD);
    if (there < HEAD) return there < 0 ? BAD : there ? TORN : END;
    const char *head = source->block + source->from;
    uint64_t size;
    memcpy(&size, head, 8);
    if (!checked(head, 8, head + 8) || size > INT64_MAX / 8) return BAD;
    take(source, HEAD);
    return (size <= BLOCK - SUM ? read_short : read_long)(source, size, sink) ? GOOD : BAD;
}

/* Reads on in a file, up to `most` records in all; GOOD if more may come. */
static int read_file(Source *source, int64_t most, Sink *sink) {
    while (sink->count < most) {
        int state = read_record(source, sink);
        if (state == TORN && sink->count) return GOOD; /* the next call will meet it alone */
        if (state != GOOD) return state;
        sink->count++;
    }
    return GOOD;
}

/* Reads files one after the other; see read_op.c for what goes in and comes out. Returns `rest`. */
int64_t read_files(const String *names, int64_t count, int64_t *at, int64_t *token, int64_t most,
                   Sink *sink) {
    Source source = {.block = malloc(BLOCK)};
    int state = source.block ? END : BAD;
    for (int64_t i = 0; state == END && *at >= 0 && i < count; i++) {
        source.file = i ? -1 : kept_file(*token);
        if (source.file < 0) source.file = open_file(&names[i]);
        source.at = i ? 0 : *at;
        source.from = source.to = 0;
        state = source.file < 0 ? BAD : read_file(&source, most, sink);
        bool stays = state == GOOD || (sink->refused && !i);
        *token = stays ? keep_file(source.file) : 0;
        if (!stays && source.file >= 0) close(source.file);
    }
    free(source.block);
    if (!sink->refused) *at = state == GOOD ? source.at : -1;
    return state == BAD || state == TORN;
}
