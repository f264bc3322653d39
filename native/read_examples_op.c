/* The op QueueioTFExamples: features of many Examples, parsed as they are read out of TFRecord files.

No record becomes a string on its way. Where one has not the form that the parser knows, or not what
is asked for, the op gives the records instead, as QueueioTFRecords does (read_op.c).

Inputs: those of QueueioTFRecords, and the keys, sizes and standard values of QueueioExamples
(parse_op.c). Outputs: those of QueueioTFRecords, no records where the features of all are given;
then those of QueueioExamples, of no rows where they are not. */

#include "examples.h"
#include "tf_records.h"

enum { GOOD = 4 }; /* outputs before those of the features */
static const int64_t most_bytes = 16 << 20;
static const char *const attrs[] = {
    "Tstandard: list({float, int64, string}) >= 1",
    "Tvalues: list({float, int64, string, uint8}) >= 1", NULL,
};
static const char *const inputs[] = {
    "names: string", "at: int64", "token: int64", "most: int64", "keys: string", "sizes: int64",
    "standard: Tstandard", NULL,
};
static const char *const outputs[] = {
    "records: string", "next: int64", "new_token: int64", "rest: int64", "good: bool",
    "values: Tvalues", NULL,
};

typedef struct {
    Sink sink;
    Examples all;
} Parser;

static bool take(Sink *sink, const char *data, size_t size) {
    bool fits = parse(&((Parser *)sink)->all, (Span){data, data + size}, sink->count);
    sink->refused = !fits;
    return fits;
}

static bool take_whole(Sink *sink, String *record) {
    Span data = span_of(record);
    bool fits = take(sink, data.at, (size_t)(data.end - data.at));
    if (fits) tf.TF_StringDealloc(record);
    return fits;
}

/* Whether room for as many examples as are asked for is no more than they may take. */
static bool is_narrow(const Examples *all) {
    int64_t bytes = 0;
    for (int64_t i = 1; i <= all->count; i++)
        bytes += all->features[i].size * (int64_t)bytes_of(all->features[i].type);
    return all->rows >= 0 && bytes <= all->most_bytes / (all->rows + 1);
}

static void read_and_parse(void *context, void *const *given, void *status) {
    Request asked;
    if (!asked_for(given, &asked, status)) return;
    Parser parser = {.sink = {0, false, take, take_whole}};
    Examples *all = &parser.all;
    bool ours = prepare(all, context, given, ASKED, GOOD, asked.most);
    all->most_bytes = most_bytes;
    if (!all->count)
        tf.TF_SetStatus(status, CODE_INVALID, "for each feature a key, a size and a standard");
    ours = ours && good(status) && is_narrow(all) && make_rooms(all, status);
    int64_t rest = ours ? read_files(asked.names, asked.count, &asked.at, &asked.token, asked.most,
                                     &parser.sink) : 0;
    bool told = ours && !rest, plainly = !ours || parser.sink.refused;
    if (good(status)) {
        int64_t found = give_records(context, &asked, !plainly, status);
        if (plainly) rest = found;
    }
    give_place(context, &asked, rest, status);
    if (good(status)) give_features(all, told, told ? parser.sink.count : 0, status);
    forget(all);
}

const Op read_examples_op = {"QueueioTFExamples", attrs, inputs, outputs, read_and_parse};
