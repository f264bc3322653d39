/* The parts of the op QueueioTFRecords (op.c):

    crc32c.c      checksums
    tensorflow.c  TensorFlow's C API, found in the process
    files.c       files, open between two calls
    records.c     records, cut out of files and checked */

#ifndef QUEUEIO_TF_RECORDS_H
#define QUEUEIO_TF_RECORDS_H

#define _GNU_SOURCE

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- crc32c.c --- */

void prepare_checksums(void);
bool checked(const char *data, size_t size, const char *sum);

/* --- tensorflow.c --- */

enum { TYPE_STRING = 7, TYPE_INT64 = 9, CODE_OK = 0, CODE_INVALID = 3, SMALL = 22 };

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
    void (*TF_OpDefinitionBuilderAddInput)(void *, const char *);
    void (*TF_OpDefinitionBuilderAddOutput)(void *, const char *);
    void (*TF_OpDefinitionBuilderSetShapeInferenceFunction)(void *, void (*)(void *, void *));
    void (*TF_ShapeInferenceContextSetUnknownShape)(void *, void *);
    void (*TF_RegisterOpDefinition)(void *, void *);
    void *(*TF_NewKernelBuilder)(const char *, const char *, void *(*)(void *),
                                 void (*)(void *, void *), void (*)(void *));
    void (*TF_RegisterKernelBuilder)(const char *, void *, void *);
    void (*TF_GetInput)(void *, int, void **, void *);
    void *(*TF_AllocateOutput)(void *, int, int, const int64_t *, int, size_t, void *);
    void (*TF_OpKernelContext_Failure)(void *, void *);
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

/* --- files.c --- */

void prepare_files(void);
int open_file(const String *name);
int64_t keep_file(int file);
int kept_file(int64_t token);
int64_t read_at(int file, char *bytes, size_t size, int64_t at);

/* --- records.c --- */

typedef struct {
    String *records;
    int64_t count, room;
} Records;

int64_t read_files(const String *names, int64_t count, int64_t *at, int64_t *token, int64_t most,
                   Records *found);
void drop(Records *found);

#endif
