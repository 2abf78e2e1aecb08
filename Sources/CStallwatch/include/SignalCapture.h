#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "StackWalk.h"

// How a running thread gives its stack: a timer on the thread's own CPU clock sends it a signal, and the
// handler copies its registers and the upper part of its stack into a request's memory. The asker walks the
// copy later.
//
// Why a timer and not tgkill: a signal that reaches a thread in usleep, poll, select, epoll_wait or
// sem_timedwait cuts that wait short, in spite of SA_RESTART, and a thread that runs at the look may wait a
// microsecond later. A timer on the CPU clock fires only while the thread runs, and the kernel sends the
// signal on the way back to the program: it never cuts a wait short. The price is time: the kernel checks
// such timers at its tick, every 1 to 10 ms.

/// The signals that ask threads.
typedef enum {
  /// SIGURG. A program may change a signal's disposition at any time, even while a timer that sends it runs.
  /// The default of this one does nothing, and its handlers expect calls without cause, because the kernel
  /// sends it for every socket with urgent data.
  stallwatch_harmless_signal,
  /// SIGPROF. Dispatch's workers, and the threads that they make, block all signals but it and those of
  /// faults. Its default ends the program, so it is used only where SIGURG is blocked, and taken back soon.
  stallwatch_profiling_signal,
} stallwatch_signal;

enum { stallwatch_signal_count = 2 };

/// Their numbers, by stallwatch_signal.
extern const int stallwatch_signals[stallwatch_signal_count];

/// Who uses a signal in this process.
typedef enum {
  /// Nobody: the default disposition, and no interval timer that sends it.
  stallwatch_signal_free,
  /// Our handler.
  stallwatch_signal_ours,
  /// The program: by a handler, SIG_IGN, or an interval timer.
  stallwatch_signal_handled,
} stallwatch_signal_owner;

/// Who uses a signal now. One or two system calls.
stallwatch_signal_owner stallwatch_find_signal_owner(stallwatch_signal which);

/// Installs the handler if the signal is free, and allocates the requests. True when the handler is in place,
/// also if it was before. One thread at a time.
bool stallwatch_install_signal(stallwatch_signal which);

/// Restores a signal's earlier disposition if it is still ours; signals on their way are lost. One thread at
/// a time.
void stallwatch_remove_signal(stallwatch_signal which);

enum {
  /// The most requests open at one time.
  stallwatch_request_count = 16,
  /// The most bytes of a stack that are copied: 128 frames of 256 bytes, in about 2 µs.
  stallwatch_copied_stack = 32768,
};

/// Where a thread's own stack is mapped, which it stays as long as the thread lives.
typedef struct {
  uint64_t low;
  uint64_t high;
  /// The thread's pointer to its control block, which lies in the stack's mapping; 0 for the main thread,
  /// whose stack is never unmapped. Tells a thread from a later one with the same ID.
  uint64_t thread_pointer;
} stallwatch_stack_bounds;

/// The calling thread's pointer to its control block; 0 except on Linux. No system call.
static inline uint64_t stallwatch_thread_pointer(void) {
  uint64_t pointer = 0;
#if defined(__linux__) && defined(__x86_64__)
  __asm__("mov %%fs:0, %0" : "=r"(pointer));
#elif defined(__linux__) && defined(__aarch64__)
  __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
  return pointer;
}

/// The state of a request.
typedef enum {
  stallwatch_request_open,
  stallwatch_request_answered,
  /// No open request has this number.
  stallwatch_request_unknown,
} stallwatch_request_state;

/// The result of asking a thread.
typedef enum {
  stallwatch_asked,
  /// All requests are open.
  stallwatch_ask_full,
  /// There is no such thread.
  stallwatch_ask_gone,
  /// The kernel has no room for a timer now: the user's limit of pending signals, or memory.
  stallwatch_ask_later,
  /// The kernel gives no timer.
  stallwatch_ask_refused,
} stallwatch_ask_result;

/// A thread's answer.
typedef struct {
  uint64_t thread_id;
  /// When the thread gave it, on CLOCK_MONOTONIC.
  uint64_t taken_ns;
  /// How long the handler paused the thread.
  uint64_t paused_ns;
  uint64_t thread_pointer;
  stallwatch_registers registers;
  /// Whether the thread stood on the stack in the given bounds. If not, the handler copied only the page at
  /// the stack pointer, which is mapped in any case.
  bool is_within_bounds;
  /// Lies in the request, which overwrites it when used again.
  stallwatch_stack_copy stack;
} stallwatch_answer;

/// Asks a running thread for its stack. `bounds` may be all 0. Any thread, which then owns the request.
stallwatch_ask_result stallwatch_ask(uint64_t thread_id, stallwatch_signal which, stallwatch_stack_bounds bounds,
                                     int *request);

/// Asks the same thread once more by an answered request, whose answer is over; its timer is still there. On any other
/// result than stallwatch_asked the request is released.
stallwatch_ask_result stallwatch_ask_again(int request);

/// Whether a request is answered. No system call.
stallwatch_request_state stallwatch_find_request_state(int request);

/// Takes the answer of an answered request; call stallwatch_release() after reading it.
bool stallwatch_take_answer(int request, stallwatch_answer *answer);

/// Withdraws an open request, or frees an answered one. A handler that comes late finds its request withdrawn
/// and returns; one that is writing at this moment keeps the request until it has finished.
void stallwatch_release(int request);
