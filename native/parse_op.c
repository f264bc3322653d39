/* The op QueueioExamples: features of one size, out of many Examples in one call.

TensorFlow's own op looks each value over several times, and makes a string of what may be wanted as
numbers. This op gives nothing where not all examples have the form that it knows (examples.c) and
all that is asked for: then TensorFlow's own op parses them, or says in its own words what is wrong.

Inputs:
    records   serialized Examples [n]
    keys      of the features [k]
    sizes     how many values each has [k]; 0: one, and no axis for it. Of contents, how many
              bytes; 0: as many as that of the first example
    standard  for each the values where an example has none; or nothing, where it must have them
Outputs:
    good      whether what follows are the features of all records
    values    of each feature [n, size]; or [n], for size 0. Bytes are asked for where the
              string's content is wanted, of one length in all examples: [n, length] */

#include "examples.h"

static const char *const attrs[] = {
    "Tstandard: list({float, int64, string}) >= 1",
    "Tvalues: list({float, int64, string, uint8}) >= 1", NULL,
};
static const char *const inputs[] = {
    "records: string", "keys: string", "sizes: int64", "standard: Tstandard", NULL,
};
static const char *const outputs[] = {"good: bool", "values: Tvalues", NULL};

static bool parse_all(Examples *all, const String *records) {
    for (int64_t row = 0; row < all->rows; row++)
        if (!parse(all, span_of(&records[row]), row)) return false;
    return true;
}

static void parse_and_give(void *context, void *const *given, void *status) {
    const String *records = tf.TF_TensorData(given[0]);
    Examples all;
    bool told = prepare(&all, context, given, 1, 0, tf.TF_TensorElementCount(given[0]));
    if (!all.count) {
        tf.TF_SetStatus(status, CODE_INVALID, "for each feature a key, a size and a standard");
    } else if (make_rooms(&all, status)) {
        for (int64_t i = 0; i < all.rows; i++)
            all.most_bytes += (int64_t)tf.TF_StringGetSize(&records[i]);
        told = told && parse_all(&all, records);
        give_features(&all, told, told ? all.rows : 0, status);
    }
    forget(&all);
}

const Op parse_op = {"QueueioExamples", attrs, inputs, outputs, parse_and_give};
