/* The features that are asked for, and the tensors that their values go into.

Room is made before it is known how many examples there are; what is too much is left behind. */

#include "examples.h"

#include <stdlib.h>
#include <string.h>

/* Reads what is asked for; false if it is nothing for this op.

The inputs from `before` on: keys of the features, sizes (parse_op.c says of what), and for each the
values where an example has none; or nothing, where it must have them. The outputs from `first` on
are whether they are given, and they. */
bool prepare(Examples *all, void *context, void *const *given, int before, int first,
             int64_t rows) {
    int64_t count = tf.TF_NumInputs(context) - before - 2;
    bool fit = tf.TF_NumOutputs(context) == first + 1 + count &&
               tf.TF_TensorElementCount(given[before]) == count &&
               tf.TF_TensorElementCount(given[before + 1]) == count;
    *all = (Examples){.rows = rows, .context = context, .first = first};
    all->features = fit ? calloc((size_t)count + 1, sizeof *all->features) : NULL;
    if (!all->features) return false;
    all->count = count;
    const String *keys = tf.TF_TensorData(given[before]);
    const int64_t *sizes = tf.TF_TensorData(given[before + 1]);
    for (int64_t i = 1; i <= count; i++) {
        Feature *feature = &all->features[i];
        const void *standard = given[before + 1 + i];
        int64_t there = tf.TF_TensorElementCount(standard);
        feature->type = tf.TF_ExpectedOutputDataType(context, first + (int)i);
        feature->key = span_of(&keys[i - 1]);
        bool content = feature->type == TYPE_BYTE;
        feature->flat = !content && !sizes[i - 1];
        feature->size = content || feature->flat ? 1 : sizes[i - 1];
        feature->length = content ? sizes[i - 1] : 0;
        feature->width = -1;
        feature->standard = there ? tf.TF_TensorData(standard) : NULL;
        fit = fit && (!there || there == feature->size);
    }
    return prepare_keys(all) && fit;
}

/* Makes room for the values of a feature, `width` of them in each row. */
static bool make_room(Examples *all, Feature *feature, int64_t width, void *status) {
    struct { size_t size; unsigned char on_host; } host = {sizeof host, 1};
    int64_t shape[] = {all->rows, width};
    int rank = feature->flat ? 1 : 2;
    feature->tensor = tf.TF_AllocateTemp(all->context, feature->type, shape, rank, &host, status);
    if (!good(status) || !feature->tensor) return false;
    feature->values = tf.TF_TensorData(feature->tensor);
    feature->width = width;
    return true;
}

/* For all but contents, whose width nobody knows yet. */
bool make_rooms(Examples *all, void *status) {
    for (int64_t i = 1; i <= all->count; i++) {
        Feature *feature = &all->features[i];
        if (feature->type != TYPE_BYTE && !make_room(all, feature, feature->size, status))
            return false;
    }
    return true;
}

bool contents_fit(Examples *all, Feature *feature, int64_t width) {
    if (feature->length && width != feature->length) return false;
    if (width && all->rows > all->most_bytes / width) return false;
    void *status = tf.TF_NewStatus();
    bool fits = make_room(all, feature, width, status);
    tf.TF_DeleteStatus(status);
    return fits;
}

/* The values of the first `rows` examples, moved: none of the strings points into itself. */
static void give_part(Examples *all, Feature *feature, int64_t rows, void *status) {
    int number = all->first + (int)(feature - all->features);
    int64_t width = feature->width < 0 ? feature->length : feature->width;
    int64_t shape[] = {rows, width};
    int rank = feature->flat ? 1 : 2;
    void *made = output(all->context, number, feature->type, shape, rank, status);
    if (!made) return;
    size_t bytes = (size_t)(rows * width) * bytes_of(feature->type);
    if (bytes) memcpy(tf.TF_TensorData(made), feature->values, bytes);
    if (bytes && feature->type == TYPE_STRING) memset(feature->values, 0, bytes);
    tf.TF_DeleteTensor(made);
}

/* Gives the outputs: whether these are the features, and those of `rows` examples. */
void give_features(Examples *all, bool told, int64_t rows, void *status) {
    void *tensor = output(all->context, all->first, TYPE_BOOL, NULL, 0, status);
    if (!tensor) return;
    memcpy(tf.TF_TensorData(tensor), &told, 1);
    tf.TF_DeleteTensor(tensor);
    for (int64_t i = 1; i <= all->count && good(status); i++) {
        Feature *feature = &all->features[i];
        if (feature->tensor && rows == all->rows)
            tf.TF_SetOutput(all->context, all->first + (int)i, feature->tensor, status);
        else
            give_part(all, feature, rows, status);
    }
}

void forget(Examples *all) {
    for (int64_t i = 1; all->features && i <= all->count; i++)
        if (all->features[i].tensor) tf.TF_DeleteTensor(all->features[i].tensor);
    free(all->features);
    free(all->slots);
}
