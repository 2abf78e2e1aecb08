#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "StackWalk.h"

// How a running thread tells its stack: a timer on the thread's own CPU clock sends it SIGPROF, and the handler copies its
// registers and the upper part of its stack into a request's memory. The walk is done later, by who asked.
//
// Why a timer and not tgkill: a signal that reaches a thread in usleep, poll, select, epoll_wait or sem_timedwait cuts that
// wait short, in spite of SA_RESTART, and a thread that runs when it is looked at may wait a microsecond later. A timer on
// the CPU clock goes off only while the thread runs, and the kernel sends the signal on the way back to the program: no wait
// is ever cut short. The price is time: the kernel looks at such timers at its tick, every 1 to 10 ms.

/// Who has SIGPROF in this process.
typedef enum {
  /// Nobody: the default disposition, and no interval timer that sends it.
  stallwatch_sigprof_free,
  /// Our handler.
  stallwatch_sigprof_ours,
  /// A handler of the program's, or SIG_IGN.
  stallwatch_sigprof_handled,
  /// An interval timer of the program's (ITIMER_PROF).
  stallwatch_sigprof_timed,
} stallwatch_sigprof_owner;

/// Who has SIGPROF now. Two system calls.
stallwatch_sigprof_owner stallwatch_find_sigprof_owner(void);

/// Installs the handler if SIGPROF is free, and makes the requests' memory. True when the handler is in place, also from
/// before. One thread at a time.
bool stallwatch_install_sigprof(void);

/// Gives SIGPROF back as it was found, if it is still ours: what is on its way then is lost. One thread at a time.
void stallwatch_remove_sigprof(void);

enum {
  /// Requests that may be open at one time.
  stallwatch_request_count = 8,
  /// As much of a stack as is copied: 128 frames of 256 bytes, in about 2 µs.
  stallwatch_copied_stack = 32768,
};

/// What came of a request.
typedef enum {
  stallwatch_request_open,
  stallwatch_request_answered,
  /// The number belongs to no open request.
  stallwatch_request_unknown,
} stallwatch_request_state;

/// Why no request was made.
typedef enum {
  stallwatch_asked,
  /// All requests are open.
  stallwatch_ask_full,
  /// There is no such thread.
  stallwatch_ask_gone,
  /// The kernel gives no timer.
  stallwatch_ask_refused,
} stallwatch_ask_result;

/// A thread's answer.
typedef struct {
  uint64_t thread_id;
  /// When it was given, on CLOCK_MONOTONIC.
  uint64_t taken_ns;
  /// For how long the handler held the thread.
  uint64_t paused_ns;
  stallwatch_registers registers;
  /// Lies in the request, and is overwritten once that is used again.
  stallwatch_stack_copy stack;
} stallwatch_answer;

/// Asks a running thread for its stack. One thread at a time asks, takes and releases.
stallwatch_ask_result stallwatch_ask(uint64_t thread_id, int *request);

/// Whether a request is answered. No system call.
stallwatch_request_state stallwatch_find_request_state(int request);

/// Takes the answer of an answered request; `release` when it has been read.
bool stallwatch_take_answer(int request, stallwatch_answer *answer);

/// Withdraws an open request, or gives back an answered one. A handler that comes late finds its request withdrawn and
/// leaves; one that is writing at this moment keeps the request until it has finished.
void stallwatch_release(int request);
