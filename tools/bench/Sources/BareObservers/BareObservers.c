#define _GNU_SOURCE
#include "BareObservers.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

void bare_observe_nothing(void *observer, unsigned long activity, void *info) {
  (void)observer;
  (void)activity;
  (void)info;
}

void bare_observe_clock(void *observer, unsigned long activity, void *info) {
  (void)observer;
  (void)activity;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *(volatile uint64_t *)info = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>

int instructions_open(void) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}
#else
int instructions_open(void) { return -1; }
#endif

uint64_t instructions_read(int descriptor) {
  uint64_t count = 0;
  if (descriptor < 0 || read(descriptor, &count, sizeof count) != sizeof count) return 0;
  return count;
}
