/* The op QueueioMovedParts: parts of rows turned, made floats and scaled in one pass.

TensorFlow transposes small elements one at a time, and goes over all of memory once more for each
cast and each sum. This op does one example after the other, while it is in the processor's cache.
Every element sees the operations that TensorFlow has for it, in their order.

Inputs:
    values   numbers, as rows of which a part is taken, pieces of [rows, columns, run]
    shape    of the result
    part     where it begins in a row, and the length of a row; 0 where all is taken as it is
    sides    rows, columns and run of a piece: the two are swapped, a run of elements stays as it is
    kinds    of the steps of arithmetic on floats: MULTIPLY and so on, below
    factors  of the steps: one number each
Output:
    moved    the same type, or float if the values are bytes */

#include "tensorflow.h"

#define INLINE static inline __attribute__((always_inline))
#if defined __x86_64__ && defined __GLIBC__ && defined __GNUC__ && !defined __clang__
#define FAST static __attribute__((target_clones("avx2", "default")))
#else
#define FAST static
#endif

enum { SIDES = 3, AT_ONCE = 4096 };
enum { MULTIPLY = 1, DIVIDE, ADD, SUBTRACT, KINDS };
static const char *const attrs[] = {"T: type", "D: type", NULL};
static const char *const inputs[] = {
    "values: T", "shape: int64", "part: int64", "sides: int64", "kinds: int64", "factors: float", NULL,
};
static const char *const outputs[] = {"moved: D", NULL};

typedef struct { int64_t rows, columns, run; } Sides;

#define MOVE ones
#define FROM uint8_t
#define TO uint8_t
#include "move_loops.h"
#define MOVE twos
#define FROM uint16_t
#define TO uint16_t
#include "move_loops.h"
#define MOVE fours
#define FROM uint32_t
#define TO uint32_t
#include "move_loops.h"
#define MOVE eights
#define FROM uint64_t
#define TO uint64_t
#include "move_loops.h"
#define MOVE floats
#define FROM uint8_t
#define TO float
#include "move_loops.h"

FAST void step(int64_t kind, float factor, float *values, int64_t count) {
    if (kind == MULTIPLY) for (int64_t i = 0; i < count; i++) values[i] = values[i] * factor;
    if (kind == DIVIDE) for (int64_t i = 0; i < count; i++) values[i] = values[i] / factor;
    if (kind == ADD) for (int64_t i = 0; i < count; i++) values[i] = values[i] + factor;
    if (kind == SUBTRACT) for (int64_t i = 0; i < count; i++) values[i] = values[i] - factor;
}

typedef struct {
    void (*move)(const void *, void *, const Sides *);
    size_t from, to; /* bytes of an element */
    const int64_t *kinds;
    const float *factors;
    int64_t steps;
} Work;

static void piece(const Work *work, const char *from, char *to, const Sides *sides) {
    work->move(from, to, sides);
    int64_t count = sides->rows * sides->columns * sides->run;
    for (int64_t i = 0; i < work->steps; i++)
        step(work->kinds[i], work->factors[i], (float *)to, count);
}

static void all_pieces(const Work *work, const char *from, char *to, Sides sides, int64_t count) {
    int64_t size = sides.rows * sides.columns * sides.run;
    if (sides.rows == 1 || sides.columns == 1) size = AT_ONCE, sides = (Sides){1, size, 1};
    for (int64_t at = 0; at < count; at += size) {
        if (count - at < size) sides.columns = count - at;
        piece(work, from + (size_t)at * work->from, to + (size_t)at * work->to, &sides);
    }
}

/* How elements of these types are moved; false if they are none for this op. */
static bool prepare(Work *work, int from, int to) {
    work->from = tf.TF_DataTypeSize(from);
    work->to = tf.TF_DataTypeSize(to);
    if (from == TYPE_BYTE && to == TYPE_FLOAT) work->move = floats;
    else if (from != to) return false;
    else if (work->from == 1) work->move = ones;
    else if (work->from == 2) work->move = twos;
    else if (work->from == 4) work->move = fours;
    else if (work->from == 8) work->move = eights;
    else return false;
    for (int64_t i = 0; i < work->steps; i++)
        if (to != TYPE_FLOAT || work->kinds[i] < MULTIPLY || work->kinds[i] >= KINDS) return false;
    return true;
}

static bool product(const int64_t *sizes, int64_t count, int64_t *all) {
    *all = 1;
    for (int64_t i = 0; i < count; i++)
        if (sizes[i] < 0 || __builtin_mul_overflow(*all, sizes[i], all)) return false;
    return true;
}

typedef struct { int64_t begin, row; } Part;

/* The rows and how much of each is taken; false if the parts do not fill the shape, in pieces. */
static bool fits(int64_t count, const int64_t *shape, int64_t rank, const int64_t *sides, Part *part,
                 int64_t *rows, int64_t *taken) {
    int64_t room, piece, end;
    if (!product(shape, rank, &room) || !product(sides, SIDES, &piece) || !piece) return false;
    if (part->begin < 0 || part->row < 0 || (!part->row && room != count)) return false;
    if (!part->row) *part = (Part){0, count ? count : 1};
    *rows = count / part->row;
    *taken = *rows ? room / *rows : 0;
    return count % part->row == 0 && *rows * *taken == room && *taken % piece == 0
           && !__builtin_add_overflow(part->begin, *taken, &end) && end <= part->row;
}

static void move_and_give(void *context, void *const *given, void *status) {
    int64_t count = tf.TF_TensorElementCount(given[0]), rank = tf.TF_TensorElementCount(given[1]);
    const int64_t *shape = tf.TF_TensorData(given[1]), *sides = tf.TF_TensorData(given[3]);
    int64_t rows, taken;
    int to = tf.TF_ExpectedOutputDataType(context, 0);
    Work work = {
        .kinds = tf.TF_TensorData(given[4]), .factors = tf.TF_TensorData(given[5]),
        .steps = tf.TF_TensorElementCount(given[4]),
    };
    bool told = tf.TF_TensorElementCount(given[2]) == 2;
    Part part = told ? *(const Part *)tf.TF_TensorData(given[2]) : (Part){0, 0};
    if (!told || tf.TF_TensorElementCount(given[3]) != SIDES
        || tf.TF_TensorElementCount(given[5]) != work.steps
        || !prepare(&work, tf.TF_TensorType(given[0]), to)
        || !fits(count, shape, rank, sides, &part, &rows, &taken)) {
        tf.TF_SetStatus(status, CODE_INVALID, "values, shape, part, sides, steps that go together");
        return;
    }
    void *tensor = output(context, 0, to, shape, (int)rank, status);
    if (!tensor) return;
    const char *from = (const char *)tf.TF_TensorData(given[0]) + (size_t)part.begin * work.from;
    char *out = tf.TF_TensorData(tensor);
    if (taken == part.row) taken = count, rows = count > 0; /* they lie one behind the other */
    for (; rows; rows--, from += (size_t)part.row * work.from, out += (size_t)taken * work.to)
        all_pieces(&work, from, out, (Sides){sides[0], sides[1], sides[2]}, taken);
    tf.TF_DeleteTensor(tensor);
}

const Op move_op = {"QueueioMovedParts", attrs, inputs, outputs, move_and_give};
