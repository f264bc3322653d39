/* Files: which are ours to read, and which stay open. */

#include "tf_records.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Who has begun a file reads it to its end, though its name may mean another one by then. So it
stays here between two calls, under a number that is given once. A reader that nobody asks any more
leaves its file here until others have come in its place; one whose file had to go opens it anew. */
enum { KEPT = 64 };
static struct { int64_t token; int file; } kept[KEPT];
static int64_t last_token;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

void prepare_files(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now); /* other numbers than those of a process before */
    last_token = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t new_token(void) { return __atomic_add_fetch(&last_token, 1, __ATOMIC_RELAXED); }

int64_t keep_file(int file) {
    pthread_mutex_lock(&kept_lock);
    int64_t token = new_token();
    int older = kept[token % KEPT].token ? kept[token % KEPT].file : -1;
    kept[token % KEPT].token = token;
    kept[token % KEPT].file = file;
    pthread_mutex_unlock(&kept_lock);
    if (older >= 0) close(older);
    return token;
}

/* The file of this number, which is the caller's from now on; -1 if it is not here. */
int kept_file(int64_t token) {
    int file = -1;
    if (token <= 0) return file;
    pthread_mutex_lock(&kept_lock);
    if (kept[token % KEPT].token == token) {
        file = kept[token % KEPT].file;
        kept[token % KEPT].token = 0;
    }
    pthread_mutex_unlock(&kept_lock);
    return file;
}

/* Opens a file; -1 where there is none to read. The caller knows that it is on this machine. */
int open_file(const String *name) {
    char path[PATH_MAX];
    size_t size = tf.TF_StringGetSize(name);
    if (size >= sizeof path) return -1;
    memcpy(path, tf.TF_StringGetDataPointer(name), size);
    path[size] = 0;
    if (strlen(path) < size) return -1;
    struct stat found;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for ever */
    if (file >= 0 && (fstat(file, &found) || !S_ISREG(found.st_mode))) {
        close(file);
        file = -1;
    }
    return file;
}

/* Reads `size` bytes at an offset; fewer at the end of the file, -1 if it cannot be read. */
int64_t read_at(int file, char *bytes, size_t size, int64_t at) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(file, bytes + done, size - done, at + (int64_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (!got) break;
        done += (size_t)got;
    }
    return (int64_t)done;
}
