#define _GNU_SOURCE
#include "Injection.h"

#if !defined(STALLWATCH_PRELOAD)

// A program linked with the hooks brings its own monitor, or none: no environment makes it load a library.
void stallwatch_inject_once(void) {}
void stallwatch_note_seam(const char *reason) { (void)reason; }
void stallwatch_note_seam_at_end(const char *reason) { (void)reason; }

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "DispatchQueues.h"
#include "ForkedThread.h"
#include "Notes.h"
#include "Runtime.h"

/// What `record` asked for when the program was loaded; a program may change its environment later.
static struct {
  char *library;
  char *runtime;
  char *notes;
  pid_t process;
} request;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/// True once the monitor has started in this process, or in the one that it was forked from.
static atomic_bool watched;

/// True in a child made by fork() that cannot be watched.
static bool is_unwatchable_child;

/// Whether the process had only one thread when it last forked.
static bool had_one_thread;

/// True when nothing is left to do, which spares later runs the checks.
static atomic_bool settled;

/// True on the thread that brings the monitor in, in case that itself runs a loop.
static __thread bool injecting __attribute__((tls_model("initial-exec")));

bool stallwatch_is_injecting(void) { return injecting; }

static bool is_disabled(void) {
  const char *value = getenv("STALLWATCH_DISABLE");
  return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static void before_fork(void) {
#if __has_include(<sys/single_threaded.h>)
  had_one_thread = __libc_single_threaded;
#endif
}

/// A child forked by a program's only thread, before the monitor came in, is as good as a program that has
/// just begun; daemons are made so. In any other, the monitor or a thread may have left something half-done.
static void in_forked_child(void) {
  if (atomic_load(&settled) && !atomic_load(&watched)) return;
  if (!atomic_load(&watched) && had_one_thread) {
    stallwatch_renew_thread_number(request.process);
    request.process = getpid();
    return;
  }
  is_unwatchable_child = true;
  atomic_store(&settled, false);
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
  pthread_atfork(before_fork, NULL, in_forked_child);
}

/// Asks the monitor why it could not write everything: a text that the caller frees, or NULL. NULL until set.
static char *(*_Atomic ask_trouble)(void);

/// Why a seam was switched off; NULL: none was, of which a note is to be left at the end.
static _Atomic(const char *) broken_seam;

void stallwatch_note_seam(const char *reason) {
  if (request.library != NULL && getpid() == request.process) stallwatch_note(request.notes, "seam", reason);
}

void stallwatch_note_seam_at_end(const char *reason) { atomic_store(&broken_seam, reason); }

/// Runs at the end of the process, after the monitor has stopped.
static void note_trouble(void) {
  const char *broken = atomic_load(&broken_seam);
  if (broken != NULL) stallwatch_note_seam(broken);
  char *(*ask)(void) = atomic_load(&ask_trouble);
  if (ask == NULL || getpid() != request.process) return;
  char *trouble = ask();
  if (trouble != NULL) stallwatch_note(request.notes, "trouble", trouble);
  free(trouble);
}

/// The clock of all the monitor's records.
static uint64_t now(void) {
#if defined(__APPLE__)
  return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
#else
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
#endif
}

/// Called on the store's thread: NULL once the store is open, or the reason why it cannot be opened.
static void store_opened(const char *reason) {
  if (reason != NULL)
    stallwatch_note(request.notes, "start", reason);
  else
    stallwatch_note(request.notes, "watched", "");
}

static void inject(void) {
  // From here on the monitor, not the program, delays the first run.
  uint64_t waiting_since = now();
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
  const char *(*start)(uint64_t, void (*)(const char *)) =
      (const char *(*)(uint64_t, void (*)(const char *)))dlsym(library, "stallwatch_inject_start");
  if (start == NULL) {
    stallwatch_note(request.notes, "load", "stallwatch_inject_start is missing");
    return;
  }
#if defined(__linux__)
  // Before the first `sync` that is watched: its caller may hold the loader's lock, which this needs, too.
  stallwatch_find_dispatch();
#endif
  // A program that is killed before its store is open leaves only this note.
  stallwatch_note(request.notes, "begun", "");
  // Before the start, which makes the monitor stop at exit: handlers run last first.
  atexit(note_trouble);
  const char *reason = start(waiting_since, store_opened);
  if (reason != NULL) {
    stallwatch_note(request.notes, "start", reason);
    return;
  }
  atomic_store(&ask_trouble, (char *(*)(void))dlsym(library, "stallwatch_inject_trouble"));
  atomic_store(&watched, true);
}

static void inject_guarded(void) {
  injecting = true;
  inject();
  injecting = false;
  atomic_store(&settled, true);
}

void stallwatch_inject_once(void) {
  if (atomic_load(&settled) || injecting) return;
  if (is_unwatchable_child) {
    if (!atomic_exchange(&settled, true)) stallwatch_note(request.notes, "fork", "");
    return;
  }
  // This child was made without the C library.
  if (getpid() != request.process) return;
  pthread_once(&once, inject_guarded);
}

#endif
