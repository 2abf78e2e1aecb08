#include "Notes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/// Tabs and line ends part the fields, so no field may hold one.
static void replace_controls(char *text) {
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < ' ' || *text == 127) *text = '?';
}

static void name_of_program(char *name, size_t capacity) {
  ssize_t length = readlink("/proc/self/exe", name, capacity - 1);
  name[length > 0 ? length : 0] = '\0';
}

void stallwatch_note(const char *path, const char *what, const char *detail) {
  if (path == NULL) return;
  int saved = errno;
  char program[1024], cleaned[1024], line[2304];
  name_of_program(program, sizeof program);
  snprintf(cleaned, sizeof cleaned, "%s", detail);
  replace_controls(program);
  replace_controls(cleaned);
  int length = snprintf(line, sizeof line, "%s\t%ld\t%s\t%s\n", what, (long)getpid(), program, cleaned);
  int file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  if (file >= 0) {
    // One write: lines of several processes do not mix.
    ssize_t written = write(file, line, (size_t)length);
    (void)written;
    close(file);
  }
  errno = saved;
}
