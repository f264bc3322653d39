/* Examples, read in the one form that everybody writes: a list of features, each a key and then one
list of values. Any other (fields that are not known, or come twice, or in another order, what is
cut off) is TensorFlow's: each function says false to it. */

#include "examples.h"

#include <stdlib.h>
#include <string.h>

static bool same(Span one, Span other) {
    size_t size = (size_t)(one.end - one.at);
    return other.end - other.at == (int64_t)size && !memcmp(one.at, other.at, size);
}

static int32_t *slot_of(const Examples *all, Span key) {
    uint32_t mark = 2166136261u;
    for (const char *at = key.at; at < key.end; at++) mark = (mark ^ (uint8_t)*at) * 16777619u;
    mark ^= mark >> 15;
    while (all->slots[mark & all->mask] && !same(all->features[all->slots[mark & all->mask]].key, key))
        mark++;
    return &all->slots[mark & all->mask];
}

/* Finds the keys a place; false where there is no memory, or one comes twice. */
bool prepare_keys(Examples *all) {
    while (all->mask <= 2 * all->count) all->mask = 2 * all->mask + 1;
    all->slots = calloc((size_t)all->mask + 1, sizeof *all->slots);
    for (int32_t i = 1; all->slots && i <= all->count; i++) {
        int32_t *slot = slot_of(all, all->features[i].key);
        if (*slot) return false;
        *slot = i;
    }
    return all->slots;
}

/* The feature of this key; NULL if nobody asked for it. In most files they come in one order. */
static inline Feature *find(const Examples *all, Feature *before, Span key) {
    if (before->next && same(before->next->key, key)) return before->next;
    int32_t number = *slot_of(all, key);
    return number ? before->next = &all->features[number] : NULL;
}

/* Whether one example has that form; its values are in their row then. */
bool parse(Examples *all, Span record, int64_t row) {
    Span list = record, entry, key, value;
    if (record.end - record.at > INT32_MAX) return false;
    if (!done(&record) && !only_field(record, FIRST, &list)) return false;
    Feature *before = &all->features[0];
    while (!done(&list)) {
        if (!field(&list, FIRST, &entry) || !field(&entry, FIRST, &key)) return false;
        if (!only_field(entry, SECOND, &value)) return false;
        Feature *found = find(all, before, key);
        if (!found) continue;
        if (found->row > row || !give(all, found, value, row)) return false;
        found->row = row + 1;
        before = found;
    }
    for (Feature *each = &all->features[1]; each <= &all->features[all->count]; each++)
        if (each->row <= row && !give_standard(all, each, row)) return false;
    return true;
}
