/* TensorFlow's C API, found in the process (tensorflow.c), and ops made with it (ops.c). */

#ifndef QUEUEIO_TENSORFLOW_H
#define QUEUEIO_TENSORFLOW_H

#define _GNU_SOURCE

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TYPE_FLOAT = 1, TYPE_INT32 = 3, TYPE_BYTE = 4, TYPE_STRING = 7, TYPE_INT64 = 9, TYPE_BOOL = 10
};
enum { CODE_OK = 0, CODE_INVALID = 3, CODE_NOT_FOUND = 5, CODE_DATA_LOSS = 15 };

/* --- tensorflow.c --- */

enum { SMALL = 22 };

typedef union { /* a TF_TString, in the two forms that are made here */
    struct { uint8_t size; char bytes[SMALL + 1]; } small;
    struct { size_t size, room; char *bytes; } large;
} String;

/* Functions of tensorflow/c/{ops,kernels,tf_status,tf_tensor,tf_tstring}.h. */
typedef struct {
    void *(*TF_NewStatus)(void);
    void (*TF_DeleteStatus)(void *);
    int (*TF_GetCode)(const void *);
    void (*TF_SetStatus)(void *, int, const char *);
    void *(*TF_NewOpDefinitionBuilder)(const char *);
    void (*TF_OpDefinitionBuilderAddAttr)(void *, const char *);
    void (*TF_OpDefinitionBuilderAddInput)(void *, const char *);
    void (*TF_OpDefinitionBuilderAddOutput)(void *, const char *);
    void (*TF_OpDefinitionBuilderSetShapeInferenceFunction)(void *, void (*)(void *, void *));
    void (*TF_ShapeInferenceContextSetUnknownShape)(void *, void *);
    void (*TF_RegisterOpDefinition)(void *, void *);
    void *(*TF_NewKernelBuilder)(const char *, const char *, void *(*)(void *),
                                 void (*)(void *, void *), void (*)(void *));
    void (*TF_RegisterKernelBuilder)(const char *, void *, void *);
    int (*TF_NumInputs)(void *);
    int (*TF_NumOutputs)(void *);
    int (*TF_ExpectedOutputDataType)(void *, int);
    void (*TF_GetInput)(void *, int, void **, void *);
    void *(*TF_AllocateOutput)(void *, int, int, const int64_t *, int, size_t, void *);
    void *(*TF_AllocateTemp)(void *, int, const int64_t *, int, void *, void *);
    void (*TF_SetOutput)(void *, int, const void *, void *);
    void (*TF_OpKernelContext_Failure)(void *, void *);
    size_t (*TF_DataTypeSize)(int);
    int (*TF_TensorType)(const void *);
    void *(*TF_TensorData)(const void *);
    int64_t (*TF_TensorElementCount)(const void *);
    void (*TF_DeleteTensor)(void *);
    void (*TF_StringInit)(String *);
    void (*TF_StringCopy)(String *, const char *, size_t);
    const char *(*TF_StringGetDataPointer)(const String *);
    size_t (*TF_StringGetSize)(const String *);
    void (*TF_StringDealloc)(String *);
} TensorFlow;

extern TensorFlow tf;

bool find_tensorflow(void);
char *room_for(String *string, size_t size);

/* --- ops.c --- */

typedef struct { /* lists end with NULL */
    const char *name, *const *attrs, *const *inputs, *const *outputs;
    void (*compute)(void *context, void *const *given, void *status);
} Op;

bool good(const void *status);
size_t bytes_of(int type);
void *output(void *context, int number, int type, const int64_t *shape, int rank, void *status);

/* --- the ops --- */

extern const Op read_op, read_examples_op, parse_op, move_op, pool_op;
void prepare_reading(void);

#endif
