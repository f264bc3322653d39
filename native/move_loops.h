/* How a piece of elements FROM one type TO another is turned: included once for each MOVE.

Where the compiler knows a side, as in the calls below, it makes loops over vectors. */

#define JOINED(one, two) one##_##two
#define NAME(one, two) JOINED(one, two)
#define ARGS const FROM *restrict in, TO *restrict out, int64_t rows, int64_t columns

INLINE void NAME(MOVE, few_rows)(ARGS) {
    for (int64_t c = 0; c < columns; c++)
        for (int64_t r = 0; r < rows; r++) out[c * rows + r] = (TO)in[r * columns + c];
}

INLINE void NAME(MOVE, few_columns)(ARGS) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) out[c * rows + r] = (TO)in[r * columns + c];
}

INLINE void NAME(MOVE, block)(ARGS) {
    for (int c = 0; c < 8; c++)
        for (int r = 0; r < 8; r++) out[c * rows + r] = (TO)in[r * columns + c];
}

/* Blocks of eight by eight, then what is left below them, then beside. */
INLINE void NAME(MOVE, blocks)(ARGS) {
    int64_t r = 0, whole = columns - columns % 8;
    for (; r + 8 <= rows; r += 8)
        for (int64_t c = 0; c < whole; c += 8)
            NAME(MOVE, block)(in + r * columns + c, out + c * rows + r, rows, columns);
    for (; r < rows; r++)
        for (int64_t c = 0; c < whole; c++) out[c * rows + r] = (TO)in[r * columns + c];
    for (int64_t c = whole; c < columns; c++)
        for (r = 0; r < rows; r++) out[c * rows + r] = (TO)in[r * columns + c];
}

INLINE void NAME(MOVE, runs)(ARGS, int64_t run) {
    for (int64_t c = 0; c < columns; c++)
        for (int64_t r = 0; r < rows; r++) {
            const FROM *from = in + (r * columns + c) * run;
            for (int64_t i = 0; i < run; i++) *out++ = (TO)from[i];
        }
}

FAST void MOVE(const void *in, void *out, const Sides *sides) {
    int64_t rows = sides->rows, columns = sides->columns;
    if (sides->run > 1) NAME(MOVE, runs)(in, out, rows, columns, sides->run);
    else if (rows == 1) NAME(MOVE, few_rows)(in, out, 1, columns);
    else if (rows == 2) NAME(MOVE, few_rows)(in, out, 2, columns);
    else if (rows == 3) NAME(MOVE, few_rows)(in, out, 3, columns);
    else if (rows == 4) NAME(MOVE, few_rows)(in, out, 4, columns);
    else if (columns == 2) NAME(MOVE, few_columns)(in, out, rows, 2);
    else if (columns == 3) NAME(MOVE, few_columns)(in, out, rows, 3);
    else if (columns == 4) NAME(MOVE, few_columns)(in, out, rows, 4);
    else NAME(MOVE, blocks)(in, out, rows, columns);
}

#undef MOVE
#undef FROM
#undef TO
#undef JOINED
#undef NAME
#undef ARGS
