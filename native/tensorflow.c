/* TensorFlow, found in the process: nothing of it is needed to build this. */

#include "tensorflow.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

TensorFlow tf;

#define WANTED(name) {#name, (void **)&tf.name}
static const struct { const char *name; void **place; } wanted[] = {
    WANTED(TF_NewStatus), WANTED(TF_DeleteStatus), WANTED(TF_GetCode), WANTED(TF_SetStatus),
    WANTED(TF_NewOpDefinitionBuilder), WANTED(TF_OpDefinitionBuilderAddAttr),
    WANTED(TF_OpDefinitionBuilderAddInput),
    WANTED(TF_OpDefinitionBuilderAddOutput),
    WANTED(TF_OpDefinitionBuilderSetShapeInferenceFunction),
    WANTED(TF_ShapeInferenceContextSetUnknownShape), WANTED(TF_RegisterOpDefinition),
    WANTED(TF_NewKernelBuilder), WANTED(TF_RegisterKernelBuilder), WANTED(TF_NumInputs),
    WANTED(TF_NumOutputs), WANTED(TF_ExpectedOutputDataType), WANTED(TF_GetInput),
    WANTED(TF_AllocateOutput), WANTED(TF_AllocateTemp), WANTED(TF_SetOutput),
    WANTED(TF_OpKernelContext_Failure),
    WANTED(TF_DataTypeSize), WANTED(TF_TensorType), WANTED(TF_TensorData),
    WANTED(TF_TensorElementCount), WANTED(TF_DeleteTensor), WANTED(TF_StringInit),
    WANTED(TF_StringCopy), WANTED(TF_StringGetDataPointer), WANTED(TF_StringGetSize),
    WANTED(TF_StringDealloc),
};

static bool find_functions(void) {
    void *loaded = dlopen("libtensorflow_cc.so.2", RTLD_LAZY | RTLD_NOLOAD);
    if (!loaded) return false;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!(*wanted[i].place = dlsym(loaded, wanted[i].name))) return false;
    return true;
}

/* Makes an empty string one of `size` bytes, and gives the place where they belong.

TF_StringCopy would do for what lies in memory as a whole; a film shall not lie there twice. */
char *room_for(String *string, size_t size) {
    if (size <= SMALL) {
        string->small.size = (uint8_t)(size << 2);
        string->small.bytes[size] = 0;
        return string->small.bytes;
    }
    size_t room = (size + 16) & ~(size_t)15;
    char *bytes = malloc(room);
    if (!bytes) return NULL;
    bytes[size] = 0;
    string->large.size = size << 2 | 1;
    string->large.room = room - 1;
    string->large.bytes = bytes;
    return bytes;
}

/* Whether TensorFlow makes of `size` bytes what `room_for` makes, and reads that. */
static bool strings_are_alike(size_t size) {
    char text[] = "0123456789012345678901234567890123456789";
    String ours, theirs;
    tf.TF_StringInit(&ours);
    tf.TF_StringInit(&theirs);
    text[size] = 0;
    tf.TF_StringCopy(&theirs, text, size);
    char *place = room_for(&ours, size);
    if (!place) return false;
    memcpy(place, text, size);
    bool alike = size <= SMALL ? !memcmp(&ours, &theirs, size + 2)
                               : ours.large.size == theirs.large.size &&
                                     ours.large.room == theirs.large.room;
    alike = alike && tf.TF_StringGetSize(&ours) == size &&
            !memcmp(tf.TF_StringGetDataPointer(&ours), text, size + 1);
    if (alike) tf.TF_StringDealloc(&ours);
    tf.TF_StringDealloc(&theirs);
    return alike;
}

bool find_tensorflow(void) {
    return find_functions() && strings_are_alike(SMALL) && strings_are_alike(SMALL + 1);
}
