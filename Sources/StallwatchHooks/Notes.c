#define _GNU_SOURCE
#include "Notes.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// Tabs and line ends separate the fields, so no field may contain one.
static void replace_controls(char *text) {
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < ' ' || *text == 127) *text = '?';
}

/// The target of a symbolic link; empty if there is none.
static void read_link(const char *path, char *target, size_t capacity) {
  ssize_t length = readlink(path, target, capacity - 1);
  target[length > 0 ? length : 0] = '\0';
}

/// Opens a file by its path; or, by `PATH<tab>TARGET`, a nameless file that another process has open: PATH
/// leads to that process's descriptor, and counts only while it leads to TARGET, because the process may have
/// ended and its ID be reused.
static int open_notes(const char *place) {
  const char *tab = strchr(place, '\t');
  if (tab == NULL) return open(place, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  char path[64], target[4200];
  snprintf(path, sizeof path, "%.*s", (int)(tab - place), place);
  read_link(path, target, sizeof target);
  return strcmp(target, tab + 1) == 0 ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
}

/// One write, so that lines of several processes do not mix. Runs on a thread of the program, whose limit on
/// the size of files would kill it by SIGXFSZ.
static void write_line(int file, const char *line, size_t length) {
#ifndef __APPLE__
  sigset_t limit, before, pending;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  sigpending(&pending);
  bool was_pending = sigismember(&pending, SIGXFSZ) == 1;
#endif
  ssize_t written = write(file, line, length);
  (void)written;
#ifndef __APPLE__
  // The program must not get the signal that our own write has raised.
  struct timespec now = {0, 0};
  if (written < 0 && errno == EFBIG && !was_pending) sigtimedwait(&limit, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
#endif
}

void stallwatch_note(const char *place, const char *what, const char *detail) {
  if (place == NULL) return;
  int saved = errno;
  char program[1024], cleaned[1024], line[2304];
  read_link("/proc/self/exe", program, sizeof program);
  snprintf(cleaned, sizeof cleaned, "%s", detail);
  replace_controls(program);
  replace_controls(cleaned);
  int length = snprintf(line, sizeof line, "%s\t%ld\t%s\t%s\n", what, (long)getpid(), program, cleaned);
  int file = open_notes(place);
  if (file >= 0) {
    write_line(file, line, (size_t)length);
    close(file);
  }
  errno = saved;
}
