#define _GNU_SOURCE
#include "OwnThread.h"

#if defined(__linux__)

#include <sys/syscall.h>
#include <unistd.h>

uint64_t stallwatch_own_thread(void) {
  static __thread uint64_t known __attribute__((tls_model("initial-exec")));
  if (known == 0) known = (uint64_t)syscall(SYS_gettid);
  return known;
}

#endif
