#ifdef __linux__
#define _GNU_SOURCE
#include "CStallwatch.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void stallwatch_wait(uint32_t *word, uint32_t expected, uint64_t deadline_ns) {
  struct timespec deadline = {
    .tv_sec = (time_t)(deadline_ns / 1000000000u),
    .tv_nsec = (long)(deadline_ns % 1000000000u),
  };
  // The bitset form takes an absolute CLOCK_MONOTONIC time.
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, deadline_ns ? &deadline : NULL, NULL,
          FUTEX_BITSET_MATCH_ANY);
}

void stallwatch_wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

uint64_t stallwatch_thread_id(void) { return (uint64_t)syscall(SYS_gettid); }

void stallwatch_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

void stallwatch_thread_name(char name[16]) { prctl(PR_GET_NAME, name); }

// The default slack of 50 µs would delay every wake-up.
void stallwatch_exact_timers(void) { prctl(PR_SET_TIMERSLACK, 1UL); }

// The kernel's struct sched_attr in its first version, which every kernel accepts.
struct scheduling {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;
  uint64_t deadline;
  uint64_t period;
};

// The shortest turn that EEVDF grants, in nanoseconds.
static const uint64_t shortest_turn = 100000;

// Changes the calling thread's scheduling, unless the program's user has set it to other than the default.
static void schedule(uint32_t policy, uint64_t turn) {
  struct scheduling now = {.size = sizeof now};
  if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0) return;
  if (now.policy != SCHED_OTHER) return;
  now.size = sizeof now;
  now.policy = policy;
  now.runtime = turn;
  syscall(SYS_sched_setattr, 0, &now, 0);
}

void stallwatch_short_turns(bool shall_be_short) {
  static _Thread_local bool are_short;
  if (shall_be_short == are_short) return;
  schedule(SCHED_OTHER, shall_be_short ? shortest_turn : 0);
  are_short = shall_be_short;
}

void stallwatch_interrupt_nobody(void) { schedule(SCHED_BATCH, 0); }

// In steps of niceness: ten times the share of a processor. Where two hundred threads compute on two
// processors, an equal share is a hundredth of a processor, and following them takes a twentieth.
static const int precedence = 10;

void stallwatch_come_first(bool first) {
  static _Thread_local bool comes_first;
  static _Thread_local int niceness;
  if (first == comes_first) return;
  // With 0 both calls affect the calling thread alone.
  if (first) niceness = getpriority(PRIO_PROCESS, 0);
  setpriority(PRIO_PROCESS, 0, first ? niceness - precedence : niceness);
  comes_first = first;
}
#endif
