#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Threads that do what makes it hard to look at them.

/// What a thread does, round after round.
typedef enum {
  /// Allocates and frees blocks of many sizes.
  soak_allocate,
  /// Loads a library, calls into it, and unloads it.
  soak_load,
  /// Throws a C++ exception through several frames.
  soak_throw,
  /// Starts a thread and waits for its end; the thread's number is the started one's.
  soak_start,
  /// Computes on a stack of its own making, with memory above that is not there, and unmaps it.
  soak_switch,
  /// Waits 2 ms in usleep, poll, epoll_wait, sem_timedwait, and computes a little in between.
  soak_sleep,
  soak_poll,
  soak_epoll,
  soak_semaphore,
  soak_kinds,
} soak_kind;

typedef struct soak_worker soak_worker;

/// Starts a thread.
soak_worker *soak_begin(soak_kind kind);
/// The thread to look at now; 0 when there is none.
uint64_t soak_thread_id(const soak_worker *worker);
/// Rounds done so far.
uint64_t soak_rounds(const soak_worker *worker);
/// Waits that ended before their time.
uint64_t soak_early_returns(const soak_worker *worker);
/// Makes the thread end after its round, and waits for it.
void soak_end(soak_worker *worker);

#ifdef __cplusplus
}
#endif
