// Event loops: threads that wait for descriptors by epoll_wait, again and again from one place, as SwiftNIO's do. What lies
// between the return from one such call and the next one is an item of the loop.

#define _GNU_SOURCE
#include "Listener.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CallerSearch.h"
#include "Injection.h"
#include "Interposed.h"
#include "SwiftProgram.h"

#define EXPORTED __attribute__((visibility("default")))

typedef int (*wait_function)(int poll, struct epoll_event *events, int capacity, int timeout);

static _Atomic(wait_function) original;

/// Looked up at load time: a forked child may make this call, where dlsym is not allowed.
__attribute__((constructor)) static void look_up(void) {
  atomic_store_explicit(&original, (wait_function)dlsym(RTLD_NEXT, "epoll_wait"), memory_order_relaxed);
}

/// What is known of the calling thread's waits.
typedef struct {
  /// Where on the stack the calls come from.
  const void *frame;
  /// How many came from there in a row, until that was enough.
  unsigned count;
  /// Whether the thread serves an event loop there.
  bool is_loop;
} waits;

static __thread waits own __attribute__((tls_model("initial-exec")));

/// How many waits in a row from one place make an event loop. A function that waits for one answer makes fewer.
enum { enough_waits = 3 };

/// Whether the calling thread is one of Dispatch's, by the name that Dispatch gives it: the end of a queue's label, as in
/// "-qos.overcommit".
static bool is_named_by_dispatch(void) {
  char name[16] = "";
  if (prctl(PR_GET_NAME, name) != 0) return false;
  return strstr(name, "-qos") != NULL || strstr(name, "overcommit") != NULL;
}

/// Whether the thread that waits serves a loop of its own. A process without Swift is never looked at further; Dispatch's
/// own thread for descriptors, and work that waits while a run loop or Dispatch serves it, are no event loops.
static bool serves_loop(const void *frame) {
  if (stallwatch_is_in_run()) return false;
  switch (stallwatch_find_swift_runtime()) {
    case swift_library: return !stallwatch_is_served_by_dispatch(frame);
    // Dispatch's code cannot be told from the program's then.
    case swift_linked_in: return !is_named_by_dispatch();
    default: return false;
  }
}

/// Whether the call from `frame` is one between two items of an event loop. A call from elsewhere on the thread of a loop
/// is a part of an item.
static bool is_between_items(const void *frame) {
  if (own.frame == frame) {
    if (own.is_loop || own.count == enough_waits) return own.is_loop;
    if (++own.count < enough_waits) return false;
    own.is_loop = serves_loop(frame);
    if (own.is_loop && stallwatch_listener() == NULL) stallwatch_inject_once();
    return own.is_loop;
  }
  if (!own.is_loop) own = (waits){.frame = frame, .count = 1};
  return false;
}

EXPORTED int epoll_wait(int poll, struct epoll_event *events, int capacity, int timeout) {
  wait_function next = atomic_load_explicit(&original, memory_order_relaxed);
  if (next == NULL) return (int)syscall(SYS_epoll_pwait, poll, events, capacity, timeout, NULL, (size_t)8);
  if (!is_between_items(__builtin_frame_address(0))) return next(poll, events, capacity, timeout);
  bool waits = timeout != 0;
  stallwatch_notify_will_wait(waits);
  int count = next(poll, events, capacity, timeout);
  if (waits) {
    int saved = errno;
    stallwatch_notify_did_wait();
    errno = saved;
  }
  return count;
}

#endif
