// A library to preload into a program that changes files: counts the calls that do so, writes how many there were to
// KILL_COUNTS at the end, and kills the process at one of them. KILL_OF is the kind of call, or any; KILL_AT which of
// them; KILL_HOW is before it, after it, or, for a write, half through it. For tools/judge/kill-takeover.
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static const char *const kinds[] = {"write", "sync", "cut", "unlink"};
enum kind { WRITE, SYNC, CUT, UNLINK, KINDS };
static long counts[KINDS];

/// Whether the call with this number of its kind, or of all, is the one to die at, in this way.
static int is_chosen(enum kind kind, long more, const char *how) {
  const char *at = getenv("KILL_AT"), *of = getenv("KILL_OF"), *chosen = getenv("KILL_HOW");
  if (!at || !of || !chosen || strcmp(chosen, how) != 0) return 0;
  long count = counts[kind];
  if (strcmp(of, "any") == 0) {
    count = 0;
    for (int each = 0; each < KINDS; each++) count += counts[each];
  } else if (strcmp(of, kinds[kind]) != 0) {
    return 0;
  }
  return count + more == atol(at);
}

static void begin(enum kind kind) {
  counts[kind]++;
  if (is_chosen(kind, 0, "before") || is_chosen(kind, 0, "half")) kill(getpid(), SIGKILL);
}

static void end(enum kind kind) {
  if (is_chosen(kind, 0, "after")) kill(getpid(), SIGKILL);
}

#define WRITE_CALL(name) \
  ssize_t name(int file, const void *bytes, size_t length, off_t offset) { \
    static ssize_t (*next)(int, const void *, size_t, off_t); \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name); \
    if (is_chosen(WRITE, 1, "half")) next(file, bytes, length / 2, offset); \
    begin(WRITE); \
    ssize_t done = next(file, bytes, length, offset); \
    end(WRITE); \
    return done; \
  }
WRITE_CALL(pwrite)
WRITE_CALL(pwrite64)

#define OTHER_CALL(name, kind, parameters, arguments) \
  int name parameters { \
    static int (*next) parameters; \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name); \
    begin(kind); \
    int done = next arguments; \
    end(kind); \
    return done; \
  }
OTHER_CALL(fsync, SYNC, (int file), (file))
OTHER_CALL(fdatasync, SYNC, (int file), (file))
OTHER_CALL(ftruncate, CUT, (int file, off_t length), (file, length))
OTHER_CALL(ftruncate64, CUT, (int file, off_t length), (file, length))
OTHER_CALL(unlink, UNLINK, (const char *path), (path))

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("KILL_COUNTS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  for (int kind = 0; kind < KINDS; kind++) fprintf(file, "%s %ld\n", kinds[kind], counts[kind]);
  fclose(file);
}
