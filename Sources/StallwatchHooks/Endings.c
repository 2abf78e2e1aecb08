// The ways out of a process that skip its exit handlers: `_exit` and its kin, abort, and exec, which makes it
// another program. The hooks call the listener first, so that it can write what it knows. Only the preloaded
// hooks do this: a program that embeds the monitor stops it itself.

#define _GNU_SOURCE
#include "Listener.h"

#if defined(STALLWATCH_PRELOAD) && !defined(__APPLE__)

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

typedef enum {
  way_exit, way_Exit, way_quick, way_abort, way_execve, way_execv, way_execvp, way_execvpe, way_fexecve, way_execveat, ways
} way;

static const char *const names[ways] = {
  [way_exit] = "_exit",     [way_Exit] = "_Exit",     [way_quick] = "quick_exit",
  [way_abort] = "abort",
  [way_execve] = "execve",  [way_execv] = "execv",    [way_execvp] = "execvp",
  [way_execvpe] = "execvpe", [way_fexecve] = "fexecve", [way_execveat] = "execveat",
};

static void *_Atomic originals[ways];

static void *original(way which) {
  void *found = atomic_load_explicit(&originals[which], memory_order_relaxed);
  if (found == NULL) {
    found = dlsym(RTLD_NEXT, names[which]);
    atomic_store_explicit(&originals[which], found, memory_order_relaxed);
  }
  return found;
}

/// Looked up at load time: signal handlers and forked children make these calls, where dlsym is not allowed.
__attribute__((constructor)) static void look_up(void) {
  for (int which = 0; which < ways; which++) original(which);
}

// Ends

_Noreturn static void end(way which, int status) {
  stallwatch_notify_will_end();
  void (*go)(int) = (void (*)(int))original(which);
  if (go != NULL) go(status);
  for (;;) syscall(SYS_exit_group, status);
}

EXPORTED _Noreturn void _exit(int status) { end(way_exit, status); }
EXPORTED _Noreturn void _Exit(int status) { end(way_Exit, status); }
EXPORTED _Noreturn void quick_exit(int status) { end(way_quick, status); }

EXPORTED _Noreturn void abort(void) {
  stallwatch_notify_will_abort();
  void (*go)(void) = (void (*)(void))original(way_abort);
  if (go != NULL) go();
  for (;;) syscall(SYS_exit_group, 128 + SIGABRT);
}

// Becomes another program

typedef int (*path_function)(const char *path, char *const arguments[]);
typedef int (*environment_function)(const char *path, char *const arguments[], char *const environment[]);
typedef int (*descriptor_function)(int file, char *const arguments[], char *const environment[]);
typedef int (*at_function)(int folder, const char *path, char *const arguments[], char *const environment[], int flags);

/// Calls the listener, then the original. That returns only if it fails; process and listener then go on.
#define BECOME(type, which, ...)                                                                             \
  do {                                                                                                       \
    type go = (type)original(which);                                                                         \
    if (go == NULL) return errno = ENOSYS, -1;                                                               \
    stallwatch_notify_will_end();                                                                              \
    return go(__VA_ARGS__);                                                                                  \
  } while (0)

EXPORTED int execve(const char *path, char *const arguments[], char *const environment[]) {
  BECOME(environment_function, way_execve, path, arguments, environment);
}

EXPORTED int execv(const char *path, char *const arguments[]) { BECOME(path_function, way_execv, path, arguments); }

EXPORTED int execvp(const char *name, char *const arguments[]) { BECOME(path_function, way_execvp, name, arguments); }

EXPORTED int execvpe(const char *name, char *const arguments[], char *const environment[]) {
  BECOME(environment_function, way_execvpe, name, arguments, environment);
}

EXPORTED int fexecve(int file, char *const arguments[], char *const environment[]) {
  BECOME(descriptor_function, way_fexecve, file, arguments, environment);
}

EXPORTED int execveat(
    int folder, const char *path, char *const arguments[], char *const environment[], int flags) {
  BECOME(at_function, way_execveat, folder, path, arguments, environment, flags);
}

// The forms with separate arguments. They may be called after vfork, so the list lies on the stack.

#define COLLECT(first)                                                                                       \
  va_list rest;                                                                                              \
  size_t count = 1;                                                                                          \
  va_start(rest, first);                                                                                     \
  while (va_arg(rest, char *) != NULL) count++;                                                              \
  va_end(rest);                                                                                              \
  char *arguments[count + 1];                                                                                \
  arguments[0] = (char *)(first);                                                                            \
  va_start(rest, first);                                                                                     \
  for (size_t i = 1; i <= count; i++) arguments[i] = va_arg(rest, char *)

EXPORTED int execl(const char *path, const char *first, ...) {
  COLLECT(first);
  va_end(rest);
  return execv(path, arguments);
}

EXPORTED int execlp(const char *name, const char *first, ...) {
  COLLECT(first);
  va_end(rest);
  return execvp(name, arguments);
}

EXPORTED int execle(const char *path, const char *first, ...) {
  COLLECT(first);
  char *const *environment = va_arg(rest, char *const *);
  va_end(rest);
  return execve(path, arguments, environment);
}

#endif
