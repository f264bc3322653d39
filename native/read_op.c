/* The op QueueioTFRecords: many records of TFRecord files in one call.

TensorFlow's own dataset gives them one by one, a microsecond each, and TensorFlow has no op that
checks whole blocks. This op gives nothing that is not a whole good record of a local file. What
else it meets it leaves to TensorFlow's reader, which says so in its own words.

Inputs:
    names   of files, which are read one after the other
    at      offset in the first of them; -1: nothing is read
    token   of the file where a call before stopped; 0 where there was none
    most    how many records to read
Outputs:
    records    strings [n]
    next       offset where to go on in the file that was read last; -1: nothing is left for this op
    new_token  goes with it
    rest       1: what follows `at` is for TensorFlow's reader, and no record is given; else 0

A bad record takes those before it along, back to `at`. A piece of a length at the end of a file, to
TensorFlow an end like any other, is left to it by the call after. */

#include "tf_records.h"

#include <stdlib.h>
#include <string.h>

static const char *const no_attrs[] = {NULL};
static const char *const inputs[] = {
    "names: string", "at: int64", "token: int64", "most: int64", NULL,
};
static const char *const outputs[] = {
    "records: string", "next: int64", "new_token: int64", "rest: int64", NULL,
};
enum { INPUTS = 4 };

static void give_number(void *context, int number, int64_t value, void *status) {
    void *tensor = output(context, number, TYPE_INT64, NULL, 0, status);
    if (!tensor) return;
    memcpy(tf.TF_TensorData(tensor), &value, sizeof value);
    tf.TF_DeleteTensor(tensor);
}

/* Moves the strings as they are: none of them points into itself. */
static void give_records(void *context, Records *found, void *status) {
    size_t bytes = (size_t)found->count * sizeof *found->records;
    void *tensor = output(context, 0, TYPE_STRING, &found->count, 1, status);
    if (!tensor) {
        drop(found);
        return;
    }
    if (bytes) memcpy(tf.TF_TensorData(tensor), found->records, bytes);
    tf.TF_DeleteTensor(tensor);
}

static void read_and_give(void *context, void *const *given, void *status) {
    int64_t number[INPUTS];
    for (int i = 1; i < INPUTS; i++) {
        if (tf.TF_TensorElementCount(given[i]) != 1) {
            tf.TF_SetStatus(status, CODE_INVALID, "at, token and most are one number each");
            return;
        }
        number[i] = *(const int64_t *)tf.TF_TensorData(given[i]);
    }
    const String *names = tf.TF_TensorData(given[0]);
    int64_t count = tf.TF_TensorElementCount(given[0]);
    Records found = {NULL};
    int64_t rest = read_files(names, count, &number[1], &number[2], number[3], &found);
    give_records(context, &found, status);
    free(found.records);
    if (good(status)) give_number(context, 1, number[1], status);
    if (good(status)) give_number(context, 2, number[2], status);
    if (good(status)) give_number(context, 3, rest, status);
}

void prepare_reading(void) {
    prepare_checksums();
    prepare_files();
}

const Op read_op = {"QueueioTFRecords", no_attrs, inputs, outputs, read_and_give};
