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

static void give_number(void *context, int number, int64_t value, void *status) {
    void *tensor = output(context, number, TYPE_INT64, NULL, 0, status);
    if (!tensor) return;
    memcpy(tf.TF_TensorData(tensor), &value, sizeof value);
    tf.TF_DeleteTensor(tensor);
}

typedef struct {
    Sink sink;
    String *records;
    int64_t room;
} Records;

static String *another(Records *all) {
    if (all->sink.count == all->room) {
        int64_t room = all->room ? 2 * all->room : 64;
        String *records = realloc(all->records, (size_t)room * sizeof *records);
        if (!records) return NULL;
        all->records = records;
        all->room = room;
    }
    return memset(&all->records[all->sink.count], 0, sizeof *all->records);
}

static bool take(Sink *sink, const char *data, size_t size) {
    String *record = another((Records *)sink);
    char *bytes = record ? room_for(record, size) : NULL;
    if (bytes) memcpy(bytes, data, size);
    return bytes;
}

static bool take_whole(Sink *sink, String *record) {
    String *place = another((Records *)sink);
    if (place) *place = *record;
    return place;
}

/* Moves the strings as they are: none of them points into itself. */
static bool give(void *context, const Records *all, void *status) {
    void *tensor = output(context, 0, TYPE_STRING, &all->sink.count, 1, status);
    if (!tensor) return false;
    size_t bytes = (size_t)all->sink.count * sizeof *all->records;
    if (bytes) memcpy(tf.TF_TensorData(tensor), all->records, bytes);
    tf.TF_DeleteTensor(tensor);
    return true;
}

static void drop(Records *all) {
    for (; all->sink.count; all->sink.count--)
        tf.TF_StringDealloc(&all->records[all->sink.count - 1]);
}

/* Reads what is asked for, or gives no records. Returns `rest`. */
int64_t give_records(void *context, Request *asked, bool none, void *status) {
    Records all = {{0, false, take, take_whole}, NULL, 0};
    int64_t rest = none ? 0 : read_files(asked->names, asked->count, &asked->at, &asked->token,
                                         asked->most, &all.sink);
    if (rest) drop(&all);
    if (!give(context, &all, status)) drop(&all);
    free(all.records);
    return rest;
}

bool asked_for(void *const *given, Request *request, void *status) {
    int64_t number[ASKED];
    for (int i = AT; i < ASKED; i++) {
        if (tf.TF_TensorElementCount(given[i]) != 1) {
            tf.TF_SetStatus(status, CODE_INVALID, "at, token and most are one number each");
            return false;
        }
        number[i] = *(const int64_t *)tf.TF_TensorData(given[i]);
    }
    *request = (Request){tf.TF_TensorData(given[NAMES]), tf.TF_TensorElementCount(given[NAMES]),
                         number[AT], number[TOKEN], number[MOST]};
    return true;
}

void give_place(void *context, const Request *asked, int64_t rest, void *status) {
    if (good(status)) give_number(context, 1, asked->at, status);
    if (good(status)) give_number(context, 2, asked->token, status);
    if (good(status)) give_number(context, 3, rest, status);
}

static void read_and_give(void *context, void *const *given, void *status) {
    Request asked;
    if (!asked_for(given, &asked, status)) return;
    int64_t rest = give_records(context, &asked, false, status);
    give_place(context, &asked, rest, status);
}

void prepare_reading(void) {
    prepare_checksums();
    prepare_files();
}

const Op read_op = {"QueueioTFRecords", no_attrs, inputs, outputs, read_and_give};
