// The interposed names of CoreFoundation. libFoundation calls them through its PLT, also from within
// CoreFoundation: CFRunLoopRun and CFRunLoopRunInMode both end in CFRunLoopRunSpecific.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "Injection.h"
#include "Interposed.h"
#include "Listener.h"
#include "Runtime.h"
#include "Timers.h"

#define EXPORTED __attribute__((visibility("default")))

typedef int (*run_function)(const void *loop, const void *mode, double seconds, unsigned char return_after_source);
typedef void (*add_function)(const void *loop, const void *item, const void *mode);
typedef const void *(*make_timer_function)(
    const void *allocator, double date, double interval, unsigned long flags, long order, timer_callout callout,
    timer_context *context);
typedef void (*get_context_function)(const void *timer, timer_context *context);
typedef void (*set_date_function)(const void *timer, double date);
typedef void (*invalidate_function)(const void *timer);

/// CFRunLoopRunFinished, CoreFoundation's result for an empty mode.
enum { run_finished = 1 };

/// The next function of this name. Looked up at the first call rather than at load time: most processes never
/// get here, and libFoundation may be loaded later than the hooks.
static void *onward(const char *name) { return stallwatch_find_onward("libFoundation.so", name); }

/// Sets `next` to the function after ours, looked up once; without one, ours returns `otherwise`.
#define ONWARD(type, name, otherwise)                                                                        \
  static _Atomic(type) name##_found;                                                                         \
  type next = atomic_load_explicit(&name##_found, memory_order_relaxed);                                     \
  if (next == NULL) {                                                                                        \
    next = (type)onward(#name);                                                                              \
    if (next == NULL) return otherwise;                                                                      \
    atomic_store_explicit(&name##_found, next, memory_order_relaxed);                                        \
  }

#if defined(__APPLE__)

// dyld redirects the calls of all other images; ours reach the original. CoreFoundation there calls
// CFRunLoopRunSpecific directly, so these interpose the two names that others call.
extern int CFRunLoopRunInMode(const void *mode, double seconds, unsigned char return_after_source);
extern void CFRunLoopRun(void);
extern void CFRunLoopAddObserver(const void *loop, const void *observer, const void *mode);
extern const void *CFRunLoopGetCurrent(void);
extern const void *const kCFRunLoopDefaultMode;

static int interposed_run_in_mode(const void *mode, double seconds, unsigned char return_after_source) {
  stallwatch_inject_once();
  stallwatch_notify_will_run(CFRunLoopGetCurrent(), mode);
  return CFRunLoopRunInMode(mode, seconds, return_after_source);
}

static void interposed_run(void) {
  stallwatch_inject_once();
  stallwatch_notify_will_run(CFRunLoopGetCurrent(), kCFRunLoopDefaultMode);
  CFRunLoopRun();
}

static void interposed_add_observer(const void *loop, const void *observer, const void *mode) {
  CFRunLoopAddObserver(loop, observer, mode);
  stallwatch_notify_did_add_observer(loop, mode, observer);
}

#define INTERPOSE(ours, theirs)                                                                              \
  __attribute__((used, section("__DATA,__interpose"))) static const struct {                                 \
    const void *replacement, *original;                                                                      \
  } interpose_##theirs = {(const void *)(ours), (const void *)(theirs)}

INTERPOSE(interposed_run_in_mode, CFRunLoopRunInMode);
INTERPOSE(interposed_run, CFRunLoopRun);
INTERPOSE(interposed_add_observer, CFRunLoopAddObserver);

#else

/// How many runs of run loops are active on the calling thread.
static __thread unsigned runs __attribute__((tls_model("initial-exec")));

bool stallwatch_is_in_run(void) { return runs > 0; }

EXPORTED int CFRunLoopRunSpecific(
    const void *loop, const void *mode, double seconds, unsigned char return_after_source) {
  ONWARD(run_function, CFRunLoopRunSpecific, run_finished)
  if (stallwatch_listener() == NULL) stallwatch_inject_once();
  stallwatch_notify_will_run(loop, mode);
  runs++;
  int result = next(loop, mode, seconds, return_after_source);
  runs--;
  return result;
}

EXPORTED void CFRunLoopAddObserver(const void *loop, const void *observer, const void *mode) {
  ONWARD(add_function, CFRunLoopAddObserver, )
  next(loop, observer, mode);
  stallwatch_notify_did_add_observer(loop, mode, observer);
}

/// Whether preloaded hooks follow these, which the program links. Only those the monitor hears wrap timers.
static bool comes_before_another_copy(void) {
  static atomic_int answer;  // 0: not known; 1: no; 2: yes
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known == 0) {
    known = dlsym(RTLD_NEXT, "stallwatch_hooks_find_timer") != NULL ? 2 : 1;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known == 2;
}

EXPORTED const void *CFRunLoopTimerCreate(
    const void *allocator, double date, double interval, unsigned long flags, long order, timer_callout callout,
    timer_context *context) {
  ONWARD(make_timer_function, CFRunLoopTimerCreate, NULL)
  // By a jump, because the other copy looks for its caller on the stack.
  if (comes_before_another_copy())
    __attribute__((musttail)) return next(allocator, date, interval, flags, order, callout, context);
  timer_record *record = stallwatch_take_timer(callout, context, interval, __builtin_frame_address(0));
  if (record == NULL) return next(allocator, date, interval, flags, order, callout, context);
  timer_context ours = stallwatch_timer_context(record);
  const void *timer = next(allocator, date, interval, flags, order, stallwatch_timer_fires, &ours);
  stallwatch_timer_was_made(record, timer);
  return timer;
}

EXPORTED void CFRunLoopTimerGetContext(const void *timer, timer_context *context) {
  ONWARD(get_context_function, CFRunLoopTimerGetContext, )
  next(timer, context);
  stallwatch_restore_context(context);
}

/// The record of a timer, from its context; NULL when the timer is not ours, or no longer valid.
static timer_record *record_of(const void *timer) {
  ONWARD(get_context_function, CFRunLoopTimerGetContext, NULL)
  timer_context context = {0};
  next(timer, &context);
  return stallwatch_timer_in_context(&context);
}

EXPORTED stallwatch_hooks_timer *stallwatch_hooks_find_timer(const void *timer) {
  return (stallwatch_hooks_timer *)record_of(timer);
}

EXPORTED void CFRunLoopAddTimer(const void *loop, const void *timer, const void *mode) {
  ONWARD(add_function, CFRunLoopAddTimer, )
  timer_record *record = record_of(timer);
  // Before the timer can fire there.
  if (record != NULL) stallwatch_timer_is_added(record, loop, mode);
  next(loop, timer, mode);
}

EXPORTED void CFRunLoopTimerSetNextFireDate(const void *timer, double date) {
  ONWARD(set_date_function, CFRunLoopTimerSetNextFireDate, )
  next(timer, date);
  timer_record *record = record_of(timer);
  if (record != NULL) stallwatch_notify_did_rearm_timer((stallwatch_hooks_timer *)record);
}

EXPORTED void CFRunLoopTimerInvalidate(const void *timer) {
  ONWARD(invalidate_function, CFRunLoopTimerInvalidate, )
  timer_record *record = record_of(timer);
  if (record != NULL) stallwatch_timer_ends(record);
  next(timer);
}

#endif
