/* How an op is made known to TensorFlow, and gets and gives its tensors.

What TensorFlow's C API does not promise (how a string lies in memory) is tried when this is loaded.
Where anything is missing or other than expected there is no op, and the kernels do without. Who
changes what goes in or comes out of an op renames it: a library that was built before that must not
be taken for it. */

#include "tensorflow.h"

#include <stdlib.h>

bool good(const void *status) { return tf.TF_GetCode(status) == CODE_OK; }

/* Bytes of a value. */
size_t bytes_of(int type) {
    return type == TYPE_STRING ? sizeof(String) : tf.TF_DataTypeSize(type);
}

/* Makes an output; NULL where there is no room for it. */
void *output(void *context, int number, int type, const int64_t *shape, int rank, void *status) {
    size_t bytes = bytes_of(type);
    for (int i = 0; i < rank; i++) bytes *= (size_t)shape[i];
    void *tensor = tf.TF_AllocateOutput(context, number, type, shape, rank, bytes, status);
    return good(status) ? tensor : NULL;
}

static void run(const Op *op, void *context) {
    int count = tf.TF_NumInputs(context);
    void *status = tf.TF_NewStatus(), **given = calloc((size_t)count, sizeof *given);
    if (!given) tf.TF_SetStatus(status, CODE_INVALID, "no memory is left");
    for (int i = 0; i < count && good(status); i++)
        tf.TF_GetInput(context, i, &given[i], status);
    if (good(status)) op->compute(context, given, status);
    if (!good(status)) tf.TF_OpKernelContext_Failure(context, status);
    for (int i = 0; given && i < count; i++)
        if (given[i]) tf.TF_DeleteTensor(given[i]);
    free(given);
    tf.TF_DeleteStatus(status);
}

static void read_it(void *kernel, void *context) { (void)kernel, run(&read_op, context); }
static void read_both(void *kernel, void *context) { (void)kernel, run(&read_examples_op, context); }
static void parse_it(void *kernel, void *context) { (void)kernel, run(&parse_op, context); }
static void move_it(void *kernel, void *context) { (void)kernel, run(&move_op, context); }
static void pool_it(void *kernel, void *context) { (void)kernel, run(&pool_op, context); }

static void shapes(void *context, void *status) {
    tf.TF_ShapeInferenceContextSetUnknownShape(context, status);
}

static void add(const Op *op, void (*runs_it)(void *, void *)) {
    void *status = tf.TF_NewStatus(), *made = tf.TF_NewOpDefinitionBuilder(op->name);
    for (int i = 0; op->attrs[i]; i++) tf.TF_OpDefinitionBuilderAddAttr(made, op->attrs[i]);
    for (int i = 0; op->inputs[i]; i++) tf.TF_OpDefinitionBuilderAddInput(made, op->inputs[i]);
    for (int i = 0; op->outputs[i]; i++) tf.TF_OpDefinitionBuilderAddOutput(made, op->outputs[i]);
    tf.TF_OpDefinitionBuilderSetShapeInferenceFunction(made, shapes);
    void *kernel = tf.TF_NewKernelBuilder(op->name, "CPU", NULL, runs_it, NULL);
    tf.TF_RegisterKernelBuilder(op->name, kernel, status);
    if (good(status)) tf.TF_RegisterOpDefinition(made, status);
    tf.TF_DeleteStatus(status);
}

__attribute__((constructor)) static void load(void) {
    prepare_reading();
    if (!find_tensorflow()) return;
    add(&read_op, read_it);
    add(&read_examples_op, read_both);
    add(&parse_op, parse_it);
    add(&move_op, move_it);
    add(&pool_op, pool_it);
}
