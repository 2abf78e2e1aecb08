#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "StackWalk.h"

// How a thread of another process that runs gives its stack: the kernel copies its registers and the upper part of its
// stack at a tick of a clock that counts the thread's CPU time (perf_event_open(2)). The thread is neither stopped nor
// signalled; the tick interrupts it like the kernel's own.

enum {
  /// The most bytes of a stack that the kernel copies at once: its limit for a record, less the rest of the record.
  stallwatch_most_sampled_stack = 65000,
};

/// How an attempt to sample a running thread ended.
typedef enum {
  /// The sample is there.
  stallwatch_sample_taken,
  /// The thread did not run within the time.
  stallwatch_sample_timed_out,
  /// The kernel gives no such clock, for the reason in errno.
  stallwatch_sample_refused,
} stallwatch_sample_result;

/// Waits up to `patience_ms` for a tick at which thread `thread_id` runs, and copies its registers, and its stack into
/// `copy`, which has room for stallwatch_most_sampled_stack bytes. Any thread that is not watched.
stallwatch_sample_result stallwatch_sample_running(uint64_t thread_id, int patience_ms, uint8_t *copy,
                                                   stallwatch_registers *registers, stallwatch_stack_copy *stack);
