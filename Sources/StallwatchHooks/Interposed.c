// The names of CoreFoundation that are interposed. libFoundation calls them through its PLT, also from within
// CoreFoundation: CFRunLoopRun and CFRunLoopRunInMode both end in CFRunLoopRunSpecific.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "Injection.h"
#include "Listener.h"
#include "Runtime.h"

#define EXPORTED __attribute__((visibility("default")))

typedef int (*run_function)(const void *loop, const void *mode, double seconds, unsigned char return_after_source);
typedef void (*add_observer_function)(const void *loop, const void *observer, const void *mode);

/// CFRunLoopRunFinished, CoreFoundation's answer for a mode with nothing in it.
enum { run_finished = 1 };

/// Where a call goes on to. Looked up at the first call and not when the library is loaded: most processes never get
/// here, and libFoundation may come later than we do.
static void *onward(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  // A libFoundation that was brought in by dlopen(RTLD_LOCAL) calls us, but does not come after us in the lookup order.
  return found != NULL ? found : stallwatch_find_in_foundation(name);
}

#if defined(__APPLE__)

// dyld redirects the calls of all other images; ours reach the original. CoreFoundation calls CFRunLoopRunSpecific
// directly there, so the two names that others call are taken.
extern int CFRunLoopRunInMode(const void *mode, double seconds, unsigned char return_after_source);
extern void CFRunLoopRun(void);
extern void CFRunLoopAddObserver(const void *loop, const void *observer, const void *mode);
extern const void *CFRunLoopGetCurrent(void);
extern const void *const kCFRunLoopDefaultMode;

static int interposed_run_in_mode(const void *mode, double seconds, unsigned char return_after_source) {
  stallwatch_inject_once();
  stallwatch_tell_will_run(CFRunLoopGetCurrent(), mode);
  return CFRunLoopRunInMode(mode, seconds, return_after_source);
}

static void interposed_run(void) {
  stallwatch_inject_once();
  stallwatch_tell_will_run(CFRunLoopGetCurrent(), kCFRunLoopDefaultMode);
  CFRunLoopRun();
}

static void interposed_add_observer(const void *loop, const void *observer, const void *mode) {
  CFRunLoopAddObserver(loop, observer, mode);
  stallwatch_tell_did_add_observer(loop, mode, observer);
}

#define INTERPOSE(ours, theirs)                                                                              \
  __attribute__((used, section("__DATA,__interpose"))) static const struct {                                 \
    const void *replacement, *original;                                                                      \
  } interpose_##theirs = {(const void *)(ours), (const void *)(theirs)}

INTERPOSE(interposed_run_in_mode, CFRunLoopRunInMode);
INTERPOSE(interposed_run, CFRunLoopRun);
INTERPOSE(interposed_add_observer, CFRunLoopAddObserver);

#else

EXPORTED int CFRunLoopRunSpecific(
    const void *loop, const void *mode, double seconds, unsigned char return_after_source) {
  static _Atomic(run_function) original;
  run_function run = atomic_load_explicit(&original, memory_order_relaxed);
  if (run == NULL) {
    run = (run_function)onward("CFRunLoopRunSpecific");
    if (run == NULL) return run_finished;
    atomic_store_explicit(&original, run, memory_order_relaxed);
  }
  if (stallwatch_listener() == NULL) stallwatch_inject_once();
  stallwatch_tell_will_run(loop, mode);
  return run(loop, mode, seconds, return_after_source);
}

EXPORTED void CFRunLoopAddObserver(const void *loop, const void *observer, const void *mode) {
  static _Atomic(add_observer_function) original;
  add_observer_function add = atomic_load_explicit(&original, memory_order_relaxed);
  if (add == NULL) {
    add = (add_observer_function)onward("CFRunLoopAddObserver");
    if (add == NULL) return;
    atomic_store_explicit(&original, add, memory_order_relaxed);
  }
  add(loop, observer, mode);
  stallwatch_tell_did_add_observer(loop, mode, observer);
}

#endif
