/* The op QueueioExamples: features of one size, out of many Examples in one call.

TensorFlow's own op looks each value over several times, and makes a string of what may be wanted as
numbers. This op gives nothing where not all examples have the form that it knows (examples.c) and
all that is asked for: then TensorFlow's own op parses them, or says in its own words what is wrong.

Inputs:
    records   serialized Examples [n]
    keys      of the features [k]
    sizes     how many values each has [k]; 0: one, and no axis for it
    standard  for each the values where an example has none; or nothing, where it must have them
Outputs:
    good      whether what follows are the features of all records
    values    of each feature [n, size]; or [n], for size 0. Bytes are asked for where the
              string's content is wanted, of one length in all examples: [n, length] */

#include "examples.h"

#include <stdlib.h>
#include <string.h>

enum { BEFORE = 3 }; /* inputs before those of the features */
static const char *const attrs[] = {
    "Tstandard: list({float, int64, string}) >= 1",
    "Tvalues: list({float, int64, string, uint8}) >= 1", NULL,
};
static const char *const inputs[] = {
    "records: string", "keys: string", "sizes: int64", "standard: Tstandard", NULL,
};
static const char *const outputs[] = {"good: bool", "values: Tvalues", NULL};

/* Makes room for the values of feature `number`, `width` of them in each row; -1: one, no axis.

The context keeps the tensor when it is let go here. */
static bool make_room(Examples *all, int64_t number, int64_t width, void *status) {
    Feature *feature = &all->features[number];
    int64_t shape[] = {all->rows, width};
    int rank = width < 0 ? 1 : 2;
    void *made = output(all->context, (int)number, feature->type, shape, rank, status);
    if (!made) return false;
    feature->values = tf.TF_TensorData(made);
    tf.TF_DeleteTensor(made);
    return true;
}

/* No more is believed than the records can hold, before all of them are seen. */
bool contents_fit(Examples *all, Feature *feature, int64_t width) {
    uint64_t bytes = 0;
    for (int64_t i = 0; i < all->rows; i++) bytes += tf.TF_StringGetSize(&all->records[i]);
    if (width && (uint64_t)all->rows > bytes / (uint64_t)width) return false;
    void *status = tf.TF_NewStatus();
    bool fits = make_room(all, feature - all->features, width, status);
    if (fits) feature->width = width;
    tf.TF_DeleteStatus(status);
    return fits;
}

/* What is asked for; false if it is nothing for this op. */
static bool prepare(Examples *all, void *const *given) {
    const String *keys = tf.TF_TensorData(given[1]);
    const int64_t *sizes = tf.TF_TensorData(given[2]);
    bool fit = true;
    for (int64_t i = 1; i <= all->count; i++) {
        Feature *feature = &all->features[i];
        const void *standard = given[BEFORE + i - 1];
        int64_t there = tf.TF_TensorElementCount(standard);
        feature->key = span_of(&keys[i - 1]);
        feature->type = tf.TF_ExpectedOutputDataType(all->context, (int)i);
        feature->size = sizes[i - 1] ? sizes[i - 1] : 1;
        feature->width = -1;
        feature->standard = there ? tf.TF_TensorData(standard) : NULL;
        fit = fit && (!there || there == feature->size);
    }
    return prepare_keys(all) && fit;
}

static bool make_rooms(Examples *all, const int64_t *sizes, void *status) {
    for (int64_t i = 1; i <= all->count; i++) {
        bool later = all->features[i].type == TYPE_BYTE;
        if (!later && !make_room(all, i, sizes[i - 1] ? sizes[i - 1] : -1, status)) return false;
    }
    return true;
}

static void say(Examples *all, bool told, void *status) {
    for (int64_t i = 1; i <= all->count && good(status); i++)
        if (all->features[i].type == TYPE_BYTE && all->features[i].width < 0)
            make_room(all, i, 0, status);
    void *tensor = good(status) ? output(all->context, 0, TYPE_BOOL, NULL, 0, status) : NULL;
    if (!tensor) return;
    memcpy(tf.TF_TensorData(tensor), &told, 1);
    tf.TF_DeleteTensor(tensor);
}

static void parse_and_give(void *context, void *const *given, void *status) {
    int64_t count = tf.TF_NumInputs(context) - BEFORE;
    bool fit = tf.TF_NumOutputs(context) == count + 1;
    for (int i = 1; i < BEFORE; i++) fit = fit && tf.TF_TensorElementCount(given[i]) == count;
    Feature *features = fit ? calloc((size_t)count + 1, sizeof *features) : NULL;
    if (!features) {
        tf.TF_SetStatus(status, CODE_INVALID, "for each feature a key, a size and a standard");
        return;
    }
    Examples all = {
        .records = tf.TF_TensorData(given[0]), .rows = tf.TF_TensorElementCount(given[0]),
        .features = features, .count = count, .context = context,
    };
    bool ours = prepare(&all, given);
    if (make_rooms(&all, tf.TF_TensorData(given[2]), status))
        say(&all, ours && parse_all(&all), status);
    free(all.slots);
    free(features);
}

const Op parse_op = {"QueueioExamples", attrs, inputs, outputs, parse_and_give};
