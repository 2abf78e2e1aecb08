#define _GNU_SOURCE
#include "DescriptorTable.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
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

// The kernel's table for numbers below this takes 8 KiB. Most limits of descriptors are this one.
enum { usual_limit = 1024, own_numbers = 64 };

/// The least number for a file of ours.
static int least_number(void) {
  if (!owns) return STDERR_FILENO + 1;
  struct rlimit limits;
  rlim_t limit = usual_limit;
  if (getrlimit(RLIMIT_NOFILE, &limits) == 0 && limits.rlim_cur < limit) limit = limits.rlim_cur;
  return limit > 2 * own_numbers ? (int)limit - own_numbers : STDERR_FILENO + 1;
}

int stallwatch_set_apart(int descriptor) {
  int least = least_number();
  if (descriptor < 0 || descriptor >= least) return descriptor;
  int apart = fcntl(descriptor, F_DUPFD_CLOEXEC, least);
  int reason = errno;
  close(descriptor);
  errno = reason;
  return apart;
}

#else

bool stallwatch_own_descriptors(void) { return false; }

bool stallwatch_owns_descriptors(void) { return false; }

int stallwatch_set_apart(int descriptor) { return descriptor; }

#endif
