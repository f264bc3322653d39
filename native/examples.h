/* The parts of the op QueueioExamples (parse_op.c):

    wire.h      fields of protocol buffers
    values.c    values of features
    examples.c  features of Examples */

#ifndef QUEUEIO_EXAMPLES_H
#define QUEUEIO_EXAMPLES_H

#include "tensorflow.h"
#include "wire.h"

typedef struct Feature {
    Span key;
    int type;             /* of its values; TYPE_BYTE: the content of its one string is wanted */
    int64_t size;         /* how many values it has, of each example */
    const void *standard; /* the values where an example has none; NULL: it must have them */
    char *values;         /* of all examples; of contents, from the first one on */
    int64_t width;        /* bytes of a content; -1 until there was one */
    int64_t row;          /* the last example that has it, from 1 on */
    struct Feature *next; /* what came after it there */
} Feature;

typedef struct {
    const String *records;
    int64_t rows;
    Feature *features; /* from 1 on; what comes first in an example is next to features[0] */
    int64_t count;
    int32_t *slots; /* numbers of features, by their keys; 0: none */
    uint32_t mask;
    void *context;
} Examples;

/* --- values.c --- */

Span span_of(const String *string);
bool give(Examples *all, Feature *feature, Span value, int64_t row);
bool give_standard(Examples *all, Feature *feature, int64_t row);

/* --- examples.c --- */

bool prepare_keys(Examples *all);
bool parse_all(Examples *all);

/* --- parse_op.c --- */

bool contents_fit(Examples *all, Feature *feature, int64_t width);

#endif
