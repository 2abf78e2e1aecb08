#include "Steps.h"

#if defined(__linux__)

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int64_t steps_of(void (*body)(const void *context), const void *context) {
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(1);
    raise(SIGSTOP);
    body(context);
    raise(SIGSTOP);
    _exit(0);
  }
  int status;
  int64_t steps = -1;
  if (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_EXITKILL);
    steps = 0;
    // A step ends with SIGTRAP, and the body with SIGSTOP.
    while (ptrace(PTRACE_SINGLESTEP, child, 0, 0) == 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
           WSTOPSIG(status) == SIGTRAP)
      steps++;
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGSTOP) steps = -1;
    kill(child, SIGKILL);
  }
  waitpid(child, &status, 0);
  return steps;
}

// What the stepped thread and the process that steps it share.
struct Shared {
  atomic_int state;
  volatile uint64_t mark;
  uint64_t pieces;
  uint64_t counts[];
};
enum { waiting, stepping, failed, done };

static void step(pid_t thread, struct Shared *shared, uint64_t capacity) {
  int status, signal = 0;
  if (ptrace(PTRACE_SEIZE, thread, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0 ||
      waitpid(thread, &status, __WALL) != thread) {
    shared->state = failed;
    return;
  }
  shared->state = stepping;
  uint64_t mark = 0, count = 0;
  while (shared->state == stepping) {
    if (ptrace(PTRACE_SINGLESTEP, thread, 0, signal) != 0 || waitpid(thread, &status, __WALL) != thread ||
        !WIFSTOPPED(status))
      return;
    signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    count += signal == 0;
    if (shared->mark == mark) continue;
    if (mark > 0 && shared->pieces < capacity) shared->counts[shared->pieces++] = count;
    mark = shared->mark;
    count = 0;
  }
  ptrace(PTRACE_DETACH, thread, 0, signal);
}

int64_t steps_between_marks(void (*body)(volatile uint64_t *mark, const void *context), const void *context,
                            uint64_t *counts, uint64_t capacity) {
  size_t size = sizeof(struct Shared) + capacity * sizeof(uint64_t);
  struct Shared *shared = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return -1;
  pid_t thread = (pid_t)syscall(SYS_gettid);
  pid_t child = fork();
  if (child == 0) {
    // Until the other process has allowed it.
    while (shared->state == waiting && shared->mark == 0) usleep(1000);
    shared->mark = 0;
    step(thread, shared, capacity);
    _exit(0);
  }
  int64_t pieces = -1;
  if (child > 0) {
    prctl(PR_SET_PTRACER, child, 0, 0, 0);
    shared->mark = 1;
    while (shared->state == waiting) continue;
    if (shared->state == stepping) {
      body(&shared->mark, context);
      shared->state = done;
      pieces = 0;
    }
    waitpid(child, 0, 0);
    if (pieces == 0) {
      pieces = (int64_t)shared->pieces;
      memcpy(counts, shared->counts, shared->pieces * sizeof(uint64_t));
    }
  }
  munmap(shared, size);
  return pieces;
}

#else

int64_t steps_of(void (*body)(const void *context), const void *context) {
  (void)body;
  (void)context;
  return -1;
}

int64_t steps_between_marks(void (*body)(volatile uint64_t *mark, const void *context), const void *context,
                            uint64_t *counts, uint64_t capacity) {
  (void)body;
  (void)context;
  (void)counts;
  (void)capacity;
  return -1;
}

#endif
