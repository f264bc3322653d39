/* Protocol buffers, read in the plainest form; false to any other. */

#ifndef QUEUEIO_WIRE_H
#define QUEUEIO_WIRE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct { const char *at, *end; } Span;

enum { FIRST = 10, SECOND = 18, THIRD = 26, NUMBER = 8, FIXED = 13 }; /* tags of fields */

static inline bool done(const Span *from) { return from->at == from->end; }

static inline bool varint(Span *from, uint64_t *value) {
    *value = 0;
    for (int shift = 0; shift < 64 && !done(from); shift += 7) {
        uint8_t byte = (uint8_t)*from->at++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return shift < 63 || byte < 2;
    }
    return false;
}

/* Takes the next field, which must have this tag, and be as long as it says. */
static inline bool field(Span *from, char tag, Span *content) {
    uint64_t size;
    if (done(from) || *from->at++ != tag || !varint(from, &size)) return false;
    if (size > (uint64_t)(from->end - from->at)) return false;
    content->at = from->at;
    content->end = from->at += size;
    return true;
}

/* The same, where nothing else may follow. */
static inline bool only_field(Span from, char tag, Span *content) {
    return field(&from, tag, content) && done(&from);
}

#endif
