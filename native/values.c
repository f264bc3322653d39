/* The values of a feature of one Example, of the kind and number that is asked for. */

#include "examples.h"

#include <string.h>

static bool floats(Span list, char *to, int64_t size) {
    Span packed;
    if (only_field(list, FIRST, &packed)) {
        if (packed.end - packed.at != 4 * size) return false;
        memcpy(to, packed.at, (size_t)(4 * size));
        return true;
    }
    if (list.end - list.at != 5 * size) return false;
    for (; !done(&list); list.at += 5, to += 4) {
        if (*list.at != FIXED) return false;
        memcpy(to, list.at + 1, 4);
    }
    return true;
}

static bool numbers(Span list, char *to, int64_t size) {
    Span packed = list;
    bool single = !done(&list) && *list.at == NUMBER;
    if (!single && !only_field(list, FIRST, &packed)) return false;
    for (; size; size--, to += 8) {
        uint64_t value;
        if (single && (done(&packed) || *packed.at++ != NUMBER)) return false;
        if (!varint(&packed, &value)) return false;
        memcpy(to, &value, 8);
    }
    return done(&packed);
}

static bool copied(Span from, String *to) {
    size_t size = (size_t)(from.end - from.at);
    char *bytes = room_for(to, size);
    if (bytes) memcpy(bytes, from.at, size);
    return bytes;
}

static bool strings(Span list, String *to, int64_t size) {
    Span string;
    for (; size; size--, to++)
        if (!field(&list, FIRST, &string) || !copied(string, to)) return false;
    return done(&list);
}

static bool content(Examples *all, Feature *feature, Span string, int64_t row) {
    int64_t size = string.end - string.at;
    if (feature->width < 0 && !contents_fit(all, feature, size)) return false;
    if (size != feature->width) return false;
    if (size) memcpy(feature->values + row * size, string.at, (size_t)size);
    return true;
}

bool give(Examples *all, Feature *feature, Span value, int64_t row) {
    Span list, string;
    int64_t size = feature->size, before = row * size;
    switch (feature->type) {
    case TYPE_FLOAT:
        return only_field(value, SECOND, &list) && floats(list, feature->values + 4 * before, size);
    case TYPE_INT64:
        return only_field(value, THIRD, &list) && numbers(list, feature->values + 8 * before, size);
    case TYPE_STRING:
        return only_field(value, FIRST, &list) &&
               strings(list, (String *)feature->values + before, size);
    default:
        return only_field(value, FIRST, &list) && only_field(list, FIRST, &string) &&
               content(all, feature, string, row);
    }
}

Span span_of(const String *string) {
    const char *at = tf.TF_StringGetDataPointer(string);
    return (Span){at, at + tf.TF_StringGetSize(string)};
}

bool give_standard(Examples *all, Feature *feature, int64_t row) {
    int64_t size = feature->size, before = row * size;
    const String *from = feature->standard;
    if (!from) return false;
    if (feature->type == TYPE_BYTE) return content(all, feature, span_of(from), row);
    if (feature->type == TYPE_STRING) {
        for (int64_t i = 0; i < size; i++)
            if (!copied(span_of(&from[i]), (String *)feature->values + before + i)) return false;
        return true;
    }
    int64_t bytes = feature->type == TYPE_FLOAT ? 4 : 8;
    memcpy(feature->values + bytes * before, from, (size_t)(bytes * size));
    return true;
}
