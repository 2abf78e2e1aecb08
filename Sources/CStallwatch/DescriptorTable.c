#define _GNU_SOURCE
#include "DescriptorTable.h"

#ifdef __linux__

#include <limits.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Linux 5.9 (close_range(2)); the headers may be older.
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
enum { close_range_unshare = 2 };

/// Closes the copies of the program's descriptors, which would keep its pipes and sockets open.
static void close_copies(void) {
  struct rlimit limits;
  if (getrlimit(RLIMIT_NOFILE, &limits) != 0) return;
  int end = limits.rlim_max > INT_MAX ? INT_MAX : (int)limits.rlim_max;
  for (int descriptor = 0; descriptor < end; descriptor++) close(descriptor);
}

static _Thread_local bool owns;

static bool take_own(void) {
  if (syscall(SYS_close_range, 0u, ~0u, close_range_unshare) == 0) return true;
  // A seccomp filter may kill the process for an unexpected call, so this stops here if there is one.
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0 || unshare(CLONE_FILES) != 0) return false;
  close_copies();
  return true;
}

bool stallwatch_own_descriptors(void) { return owns = take_own(); }

bool stallwatch_owns_descriptors(void) { return owns; }

#else

bool stallwatch_own_descriptors(void) { return false; }

bool stallwatch_owns_descriptors(void) { return false; }

#endif
