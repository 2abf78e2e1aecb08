// Runs a loop, and then does one of the things by which a process ends without its exit handlers.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const void *const kCFRunLoopDefaultMode;
extern int CFRunLoopRunInMode(const void *mode, double seconds, unsigned char return_after_source);

static char *const nothing[] = {"nothing", NULL};
static char *const empty[] = {NULL};

// Each of the ways to become another program, to one that is not there.
static void fail(void) {
  const char *path = "/nonexistent/program";
  execve(path, nothing, empty);
  execv(path, nothing);
  execvp(path, nothing);
  execvpe(path, nothing, empty);
  execveat(AT_FDCWD, path, nothing, empty, 0);
  execl(path, "nothing", "a", "b", NULL);
  execlp(path, "nothing", NULL);
  execle(path, "nothing", "a", NULL, empty);
  if (errno == ENOENT) printf("still here\n");
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "";
  CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, 0);
  if (strcmp(what, "_exit") == 0) _exit(3);
  if (strcmp(what, "_Exit") == 0) _Exit(4);
  if (strcmp(what, "quick_exit") == 0) quick_exit(5);
  if (strcmp(what, "abort") == 0) abort();
  if (strcmp(what, "execl") == 0) execl("/bin/sh", "sh", "-c", "echo $0 $1; exit 6", "one", "two", NULL);
  if (strcmp(what, "execle") == 0) {
    char *const environment[] = {"WORD=three", NULL};
    execle("/bin/sh", "sh", "-c", "echo $WORD; exit 7", NULL, environment);
  }
  if (strcmp(what, "fail") == 0) fail();
  if (strcmp(what, "children") == 0) {
    int status = 0;
    if (fork() == 0) _exit(0);
    wait(&status);
    if (vfork() == 0) execl("/bin/true", "true", NULL);
    wait(&status);
    return status;
  }
  return 0;
}
