#ifdef __APPLE__
#include "CStallwatch.h"

#include <mach/mach_time.h>
#include <os/os_sync_wait_on_address.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

void stallwatch_wait(uint32_t *word, uint32_t expected, uint64_t deadline_ns) {
  if (deadline_ns == 0) {
    os_sync_wait_on_address(word, expected, sizeof(*word), OS_SYNC_WAIT_ON_ADDRESS_NONE);
    return;
  }
  uint64_t now = clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
  if (deadline_ns <= now) return;
  os_sync_wait_on_address_with_timeout(word, expected, sizeof(*word), OS_SYNC_WAIT_ON_ADDRESS_NONE,
                                       OS_CLOCK_MACH_ABSOLUTE_TIME, deadline_ns - now);
}

void stallwatch_wake(uint32_t *word) {
  os_sync_wake_by_address_any(word, sizeof(*word), OS_SYNC_WAKE_BY_ADDRESS_NONE);
}

uint64_t stallwatch_thread_id(void) {
  uint64_t thread = 0;
  pthread_threadid_np(NULL, &thread);
  return thread;
}

void stallwatch_name_thread(const char *name) { pthread_setname_np(name); }

void stallwatch_thread_name(char name[16]) {
  char whole[64] = "";
  pthread_getname_np(pthread_self(), whole, sizeof(whole));
  strlcpy(name, whole, 16);
}

void stallwatch_exact_timers(void) {}

void stallwatch_short_turns(bool shall_be_short) { (void)shall_be_short; }

void stallwatch_interrupt_nobody(void) {}

void stallwatch_come_first(bool first) { (void)first; }
#endif
