#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "DemanglerProcess.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "Channel.h"

demanglers find_demanglers(void) {
  demanglers found;
  *(void **)&found.readable = dlsym(RTLD_DEFAULT, "_swift_backtrace_demangle");
  *(void **)&found.full = dlsym(RTLD_DEFAULT, "swift_demangle");
  *(void **)&found.is_thunk = dlsym(RTLD_DEFAULT, "_swift_backtrace_isThunkFunction");
  return found;
}

/// Closes all files but the channel: a pipe that only this process still holds would not end for its reader.
static void close_others(int channel) {
#ifdef SYS_close_range
  if ((channel == 0 || syscall(SYS_close_range, 0u, (unsigned)channel - 1, 0u) == 0) &&
      syscall(SYS_close_range, (unsigned)channel + 1, ~0u, 0u) == 0)
    return;
#endif
  long most = sysconf(_SC_OPEN_MAX);
  if (most < 0 || most > 65536) most = 65536;
  for (int descriptor = 0; descriptor < most; descriptor++)
    if (descriptor != channel) close(descriptor);
}

/// Makes the process end quietly if a name crashes it: no crash report, no core, and none of the signal
/// settings of the process it was copied from.
static void die_quietly(void) {
  const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGPROF, SIGSYS};
  for (size_t index = 0; index < sizeof deadly / sizeof *deadly; index++) signal(deadly[index], SIG_DFL);
  // Ctrl-C is for the process that asks. When that ends, so does the channel.
  const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE};
  for (size_t index = 0; index < sizeof ignored / sizeof *ignored; index++) signal(ignored[index], SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#ifdef __linux__
  // A core that goes to a program ignores the limit.
  prctl(PR_SET_DUMPABLE, 0);
#endif
}

/// Sets a limit, or the highest one allowed.
static bool limit(int resource, rlim_t most) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) return false;
  now.rlim_cur = now.rlim_max == RLIM_INFINITY || most < now.rlim_max ? most : now.rlim_max;
  return setrlimit(resource, &now) == 0;
}

/// Bounds the address space to its present size plus `more` bytes.
static bool limit_memory(uint64_t more) {
#ifdef __linux__
  FILE *sizes = fopen("/proc/self/statm", "r");
  if (!sizes) return false;
  unsigned long long pages = 0;
  int found = fscanf(sizes, "%llu", &pages);
  fclose(sizes);
  return found == 1 && limit(RLIMIT_AS, pages * (rlim_t)sysconf(_SC_PAGESIZE) + more);
#else
  return limit(RLIMIT_AS, more);
#endif
}

/// Gives the next name its own processor time; SIGPROF ends the process when it is used up.
static bool limit_time(uint32_t milliseconds) {
  struct itimerval once = {.it_value = {.tv_usec = (suseconds_t)milliseconds * 1000}};
  return setitimer(ITIMER_PROF, &once, NULL) == 0;
}

_Noreturn void run_demangler(int channel, stallwatch_demangler_limits limits, demanglers demanglers) {
  die_quietly();
  close_others(channel);
  for (int descriptor = 0; descriptor < 3; descriptor++)
    if (descriptor != channel) open("/dev/null", O_RDWR);
  char *name = malloc(limits.longest + 1);
  // Begins nothing that it cannot bound.
  if (!name || !limit_memory(limits.memory)) _exit(1);

  demangling_request request;
  while (receive_all(channel, &request, sizeof request) && request.length <= limits.longest &&
         receive_all(channel, name, request.length) && limit_time(limits.processor_milliseconds)) {
    name[request.length] = 0;
    char *text = NULL;
    if (request.style == stallwatch_name_readable) {
      size_t size = 0;
      text = demanglers.readable(name, request.length, NULL, &size);
    } else if (demanglers.full) {
      text = demanglers.full(name, request.length, NULL, NULL, 0);
    }
    size_t length = text ? strlen(text) : 0;
    stallwatch_demangled answer = {
      .length = length <= limits.longest ? (uint32_t)length : 0,
      .is_thunk = demanglers.is_thunk ? demanglers.is_thunk(name) : 0,
    };
    if (!send_all(channel, &answer, sizeof answer) || !send_all(channel, text, answer.length)) break;
    free(text);
  }
  _exit(0);
}
