#include "Listener.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

static _Atomic(const stallwatch_hooks_listener *) current;

/// The process that registered; a child made by vfork() shares this memory but is another process.
static pid_t registered;

/// True while this thread is inside the listener, whose own calls on loops are not reported. initial-exec,
/// because a copy of this file is loaded with the program, never later, and so needs no allocation for it.
static __thread bool notifying __attribute__((tls_model("initial-exec")));

/// True when the listener was built with `member`, and has set it.
#define WANTS(listener, member)                                                                              \
  ((listener)->size >= offsetof(stallwatch_hooks_listener, member) + sizeof((listener)->member) &&           \
   (listener)->member != NULL)

/// The monitor's threads do not exist in a forked child, so nobody listens there.
static void forget_in_child(void) { atomic_store_explicit(&current, NULL, memory_order_relaxed); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_in_child); }

void stallwatch_unset_listener(void) { atomic_store_explicit(&current, NULL, memory_order_release); }

bool stallwatch_set_listener(const stallwatch_hooks_listener *listener) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  const stallwatch_hooks_listener *none = NULL;
  registered = getpid();
  return atomic_compare_exchange_strong(&current, &none, listener);
}

const stallwatch_hooks_listener *stallwatch_listener(void) {
  return atomic_load_explicit(&current, memory_order_acquire);
}

/// Calls a function of the listener, unless the thread is inside one already. Whether it did.
#define NOTIFIES(member, ...)                                                                                \
  ({                                                                                                         \
    const stallwatch_hooks_listener *listener = stallwatch_listener();                                       \
    bool hears = listener != NULL && !notifying && WANTS(listener, member);                                  \
    if (hears) {                                                                                             \
      notifying = true;                                                                                      \
      listener->member(__VA_ARGS__);                                                                         \
      notifying = false;                                                                                     \
    }                                                                                                        \
    hears;                                                                                                   \
  })

#define NOTIFY(member, ...) (void)NOTIFIES(member, __VA_ARGS__)

void stallwatch_notify_will_run(const void *loop, const void *mode) { NOTIFY(will_run, loop, mode); }
void stallwatch_notify_did_add_observer(const void *loop, const void *mode, const void *observer) {
  NOTIFY(did_add_observer, loop, mode, observer);
}
void stallwatch_notify_will_add_timer(const void *loop, stallwatch_hooks_timer *timer, const void *mode) {
  NOTIFY(will_add_timer, loop, timer, mode);
}
void stallwatch_notify_did_make_timer(stallwatch_hooks_timer *timer) { NOTIFY(did_make_timer, timer); }
void stallwatch_notify_did_rearm_timer(stallwatch_hooks_timer *timer) { NOTIFY(did_rearm_timer, timer); }
void stallwatch_notify_will_end_timer(stallwatch_hooks_timer *timer) { NOTIFY(will_end_timer, timer); }
void stallwatch_notify_did_fire_timer(stallwatch_hooks_timer *timer) { NOTIFY(did_fire_timer, timer); }
void stallwatch_notify_will_wait(bool waits) { NOTIFY(will_wait, waits); }
void stallwatch_notify_did_wait(void) { NOTIFY(did_wait, ); }
void stallwatch_notify_will_serve(uint64_t thread) { NOTIFY(will_serve, thread); }
void stallwatch_notify_did_serve(bool waits) { NOTIFY(did_serve, waits); }
void stallwatch_notify_did_enqueue(
    stallwatch_hooks_item *item, const char *label, stallwatch_hooks_item_kind kind, bool is_due) {
  NOTIFY(did_enqueue, item, label, kind, is_due);
}
void stallwatch_notify_will_wait_for_turn(
    stallwatch_hooks_item *item, const char *label, stallwatch_hooks_item_kind kind, uint64_t thread) {
  NOTIFY(will_wait_for_turn, item, label, kind, thread);
}
void stallwatch_notify_will_begin(stallwatch_hooks_item *item, uint64_t thread) { NOTIFY(will_begin, item, thread); }
void stallwatch_notify_did_end(stallwatch_hooks_item *item, bool was_asked) { NOTIFY(did_end, item, was_asked); }
void stallwatch_notify_may_begin(stallwatch_hooks_item *item, uint64_t thread) { NOTIFY(may_begin, item, thread); }
void stallwatch_notify_must_wait(stallwatch_hooks_item *item) { NOTIFY(must_wait, item); }

bool stallwatch_notify_will_fire_timer(stallwatch_hooks_timer *timer) {
  return NOTIFIES(will_fire_timer, timer);
}

bool stallwatch_notify_did_hop(stallwatch_hooks_item *item, bool was_asked, const void *next, uint32_t lane) {
  return NOTIFIES(did_hop, item, was_asked, next, lane);
}

#define NOTIFY_OF_END(member)                                                                                \
  do {                                                                                                       \
    const stallwatch_hooks_listener *listener = stallwatch_listener();                                       \
    if (listener == NULL || !WANTS(listener, member) || getpid() != registered) break;                       \
    int saved = errno;                                                                                       \
    listener->member();                                                                                      \
    errno = saved;                                                                                           \
  } while (0)

void stallwatch_notify_will_end(void) { NOTIFY_OF_END(will_end); }
void stallwatch_notify_will_abort(void) { NOTIFY_OF_END(will_abort); }
