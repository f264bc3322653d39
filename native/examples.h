/* The parts of the ops that parse Examples (parse_op.c, read_examples_op.c):

    wire.h      fields of protocol buffers
    values.c    values of features
    examples.c  features of Examples
    features.c  what is asked for, and the tensors that it goes into */

#ifndef QUEUEIO_EXAMPLES_H
#define QUEUEIO_EXAMPLES_H

#include "tensorflow.h"
#include "wire.h"

typedef struct Feature {
    Span key;
    int type;             /* of its values; TYPE_BYTE: the content of its one string is wanted */
    bool flat;            /* one value, and no axis for it */
    int64_t size;         /* how many values it has, of each example */
    int64_t length;       /* bytes that a content must have; 0: as many as the first one */
    const void *standard; /* the values where an example has none; NULL: it must have them */
    void *tensor;         /* of all examples; of contents, from the first one on */
    char *values;         /* what it holds */
    int64_t width;        /* bytes of a content; -1 until there was one */
    int64_t row;          /* the last example that has it, from 1 on */
    struct Feature *next; /* what came after it there */
} Feature;

typedef struct {
    int64_t rows;       /* how many examples there may be */
    int64_t most_bytes; /* that contents may take: no width is believed that needs more */
    Feature *features;  /* from 1 on; what comes first in an example is next to features[0] */
    int64_t count;
    int32_t *slots; /* numbers of features, by their keys; 0: none */
    uint32_t mask;
    void *context;
    int first; /* output of the op that is for them */
} Examples;

/* --- values.c --- */

Span span_of(const String *string);
bool give(Examples *all, Feature *feature, Span value, int64_t row);
bool give_standard(Examples *all, Feature *feature, int64_t row);

/* --- examples.c --- */

bool prepare_keys(Examples *all);
bool parse(Examples *all, Span record, int64_t row);

/* --- features.c --- */

bool prepare(Examples *all, void *context, void *const *given, int before, int first, int64_t rows);
bool make_rooms(Examples *all, void *status);
bool contents_fit(Examples *all, Feature *feature, int64_t width);
void give_features(Examples *all, bool told, int64_t rows, void *status);
void forget(Examples *all);

#endif
