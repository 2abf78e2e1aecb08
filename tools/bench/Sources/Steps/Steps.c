#include "Steps.h"

#if defined(__linux__)

#include <signal.h>
#include <sys/ptrace.h>
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

#else

int64_t steps_of(void (*body)(const void *context), const void *context) {
  (void)body;
  (void)context;
  return -1;
}

#endif
