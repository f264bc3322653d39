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
int open_file(const String *name);
int64_t keep_file(int file);
int kept_file(int64_t token);
int64_t read_at(int file, char *bytes, size_t size, int64_t at);

/* --- records.c --- */

typedef struct {
    String *records;
    int64_t count, room;
} Records;

int64_t read_files(const String *names, int64_t count, int64_t *at, int64_t *token, int64_t most,
                   Records *found);
void drop(Records *found);

#endif
