#define _GNU_SOURCE
#include "Injection.h"

#if !defined(STALLWATCH_PRELOAD)

// A program that is linked with the hooks brings its own monitor, or none: no environment makes it load a library.
void stallwatch_inject_once(void) {}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "Notes.h"
#include "Runtime.h"

/// What `record` asked for, as it stood when the program was loaded: a program may change its environment later.
static struct {
  char *library;
  char *runtime;
  char *notes;
  pid_t process;
} request;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/// True when there is nothing left to do, so that later runs need not ask who they are.
static atomic_bool settled;

/// True on the thread that brings the monitor in, should that run a loop itself.
static __thread bool injecting __attribute__((tls_model("initial-exec")));

static bool is_disabled(void) {
  const char *value = getenv("STALLWATCH_DISABLE");
  return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static char *copy_of_variable(const char *name) {
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0' ? strdup(value) : NULL;
}

__attribute__((constructor)) static void read_request(void) {
  if (!is_disabled()) request.library = copy_of_variable("STALLWATCH_INJECT");
  if (request.library == NULL) {
    atomic_store(&settled, true);
    return;
  }
  request.runtime = copy_of_variable("STALLWATCH_RUNTIME");
  request.notes = copy_of_variable("STALLWATCH_NOTES");
  request.process = getpid();
}

static void inject(void) {
  char found[512];
  if (!stallwatch_runtime_matches(request.runtime, found, sizeof found)) {
    stallwatch_note(request.notes, "runtime", found);
    return;
  }
  void *library = dlopen(request.library, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char *reason = dlerror();
    stallwatch_note(request.notes, "load", reason != NULL ? reason : "dlopen failed");
    return;
  }
  const char *(*start)(void) = (const char *(*)(void))dlsym(library, "stallwatch_inject_start");
  if (start == NULL) {
    stallwatch_note(request.notes, "load", "stallwatch_inject_start is missing");
    return;
  }
  const char *reason = start();
  if (reason != NULL) stallwatch_note(request.notes, "start", reason);
}

static void inject_guarded(void) {
  injecting = true;
  inject();
  injecting = false;
  atomic_store(&settled, true);
}

void stallwatch_inject_once(void) {
  if (atomic_load(&settled) || injecting) return;
  // A child of fork() that has not called exec is no program of its own: it is left alone.
  if (getpid() != request.process) return;
  pthread_once(&once, inject_guarded);
}

#endif
