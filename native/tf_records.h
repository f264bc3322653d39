/* The parts of the op QueueioTFRecords (read_op.c):

    crc32c.c   checksums
    files.c    files, open between two calls
    records.c  records, cut out of files and checked */

#ifndef QUEUEIO_TF_RECORDS_H
#define QUEUEIO_TF_RECORDS_H

#include "tensorflow.h"

/* --- crc32c.c --- */

void prepare_checksums(void);
bool checked(const char *data, size_t size, const char *sum);

/* --- files.c --- */

void prepare_files(void);
int64_t new_token(void);
int open_file(const String *name);
int64_t keep_file(int file);
int kept_file(int64_t token);
int64_t read_at(int file, char *bytes, size_t size, int64_t at);

/* --- records.c --- */

/* What takes records. Who refuses one has the file left where it was, for a call after. */
typedef struct Sink {
    int64_t count; /* of records that were taken */
    bool refused;
    bool (*take)(struct Sink *, const char *data, size_t size);
    bool (*take_whole)(struct Sink *, String *record);
} Sink;

int64_t read_files(const String *names, int64_t count, int64_t *at, int64_t *token, int64_t most,
                   Sink *sink);

/* --- read_op.c --- */

/* The inputs that both ops have. */
typedef struct {
    const String *names;
    int64_t count, at, token, most;
} Request;

enum { NAMES, AT, TOKEN, MOST, ASKED };
bool asked_for(void *const *given, Request *request, void *status);
int64_t give_records(void *context, Request *request, bool none, void *status);
void give_place(void *context, const Request *request, int64_t rest, void *status);

#endif
