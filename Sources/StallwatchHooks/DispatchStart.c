// Dispatch starts once.
//
// CoreFoundation calls libdispatch_init() as it is loaded, though Dispatch itself has called it as that was loaded
// (_libdispatch_init, src/init.c of swift-corelibs-libdispatch). At the start of a program that changes nothing. Later it
// gives the main queue to the calling thread, and no work in it is served any more. A program without Foundation gets that
// with the monitor, whenever its first work comes.

#define _GNU_SOURCE

#if defined(__linux__) && defined(STALLWATCH_PRELOAD)

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "Injection.h"
#include "Runtime.h"

__attribute__((visibility("default"))) void libdispatch_init(void) {
  static atomic_bool has_started;
  if (atomic_exchange(&has_started, true) && stallwatch_is_injecting()) return;
  void (*next)(void);
  *(void **)&next = stallwatch_find_onward("libdispatch.so", "libdispatch_init");
  if (next != NULL) next();
}

#endif
