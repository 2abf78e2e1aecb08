#define _GNU_SOURCE
#include "AllocationCounter.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static __thread uint64_t count __attribute__((tls_model("initial-exec")));

uint64_t allocations_of_this_thread(void) { return count; }

// A sanitizer has a malloc of its own, and nothing else works with it: then nothing is counted.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OTHER_MALLOC
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_OTHER_MALLOC)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count++;
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  count++;
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  count++;
  *block = __libc_memalign(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}
#endif

int run_in_forked_child(void (*body)(void)) {
  pid_t child = fork();
  if (child == 0) {
    body();
    exit(0);
  }
  int status = 0;
  for (int tick = 0; tick < 6000; tick++) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    usleep(10000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}
