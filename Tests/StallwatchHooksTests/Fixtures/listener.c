// A listener that writes every call that it gets to the file HOOKS_LOG, one line a call. Built as the library that the
// preloaded hooks bring in, or, with -DLINKED, into a program beside the hooks.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "StallwatchHooks.h"

static void log_line(const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  int file = open(getenv("HOOKS_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (write(file, line, (size_t)length) != length) abort();
  close(file);
}

static const char *text(const void *string, char *buffer, long size) {
  unsigned char (*copy)(const void *, char *, long, unsigned) = dlsym(RTLD_DEFAULT, "CFStringGetCString");
  return copy != NULL && copy(string, buffer, size, 0x08000100) ? buffer : "?";
}

static void will_run(const void *loop, const void *mode) {
  char name[64];
  (void)loop;
  log_line("run %s\n", text(mode, name, sizeof name));
}

static void did_add_observer(const void *loop, const void *mode, const void *observer) {
  char name[64];
  (void)loop, (void)observer;
  log_line("observer %s\n", text(mode, name, sizeof name));
}

static void will_end(void) { log_line("end\n"); }
static void will_abort(void) { log_line("abort\n"); }

static const stallwatch_hooks_listener listener = {
    .size = sizeof listener, .will_run = will_run, .did_add_observer = did_add_observer, .will_end = will_end,
    .will_abort = will_abort};

#if defined(LINKED)

__attribute__((constructor)) static void start(void) {
  log_line("start %d\n", stallwatch_hooks_register(&listener));
}

#else

// The reason why it cannot start, or NULL.
const char *stallwatch_inject_start(unsigned long waiting_since, void (*store_opened)(const char *)) {
  (void)waiting_since;
  if (getenv("HOOKS_REFUSE") != NULL) return getenv("HOOKS_REFUSE");
  int (*enroll)(const stallwatch_hooks_listener *) = dlsym(RTLD_DEFAULT, "stallwatch_hooks_register");
  log_line("start %d\n", enroll(&listener));
  store_opened(NULL);
  return NULL;
}

#endif
