// Who called, by the frame pointers on the calling thread's stack.

#define _GNU_SOURCE
#include "CallerSearch.h"

#include <dlfcn.h>
#if defined(__linux__)
#include <link.h>
#include <sys/syscall.h>
#endif
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

/// How many frames to search for the maker of a timer; Foundation is two or three calls deep.
enum { deepest_origin = 12 };

/// How many frames to search for who serves a thread's work: an event loop is called by a few functions.
enum { deepest_search = 64 };

#if defined(__linux__)

/// The extent of one of Swift's own images, by an address in it.
typedef struct {
  uintptr_t start, end;
} extent;

static extent foundation, core, dispatch, concurrency;
static pthread_once_t extents_once = PTHREAD_ONCE_INIT;

static bool lies_in(uintptr_t address, extent image) { return address >= image.start && address < image.end; }

typedef struct {
  uintptr_t address;
  extent found;
} extent_search;

static int look_at_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  extent_search *search = context;
  extent image = {UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    uintptr_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
    if (start < image.start) image.start = start;
    if (end > image.end) image.end = end;
  }
  if (!lies_in(search->address, image)) return 0;
  search->found = image;
  return 1;
}

/// The image that holds a function; empty without one. `_dl_find_object` would need glibc 2.35 or later.
static extent extent_around(const char *symbol) {
  extent_search search = {.address = (uintptr_t)dlsym(RTLD_DEFAULT, symbol)};
  if (search.address != 0) dl_iterate_phdr(look_at_image, &search);
  return search.found;
}

static void find_extents(void) {
  foundation = extent_around("CFRunLoopTimerIsValid");
  core = extent_around("swift_retain");
  // By a function that no hook replaces.
  dispatch = extent_around("dispatch_main");
  concurrency = extent_around("swift_task_create");
}

static __thread uintptr_t stack_end __attribute__((tls_model("initial-exec")));

/// The end of the calling thread's stack, on which `frame` lies. Looked up at the thread's first timer.
static uintptr_t end_of_stack(const void *frame) {
  if (stack_end != 0) return stack_end;
#if defined(__GLIBC__)
  // glibc keeps a thread's control block at the end of its stack, except the main thread's.
  // pthread_getattr_np allocates, and reads a file for the main thread.
  extern void *__libc_stack_end;
  uintptr_t self = (uintptr_t)pthread_self();
  if ((uintptr_t)frame < self) return stack_end = self;
  stack_end = syscall(SYS_gettid) == getpid() ? (uintptr_t)__libc_stack_end : 1;
#else
  (void)frame;
  pthread_attr_t attributes;
  void *low = NULL;
  size_t size = 0;
  stack_end = 1;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) stack_end = (uintptr_t)low + size;
    pthread_attr_destroy(&attributes);
  }
#endif
  return stack_end;
}

/// The caller of the function that has the frame at `*at`, to whose own frame it then points; 0 at the end, or where the
/// frame pointers are none.
static uintptr_t step_up(uintptr_t *at, uintptr_t end) {
  if (*at % sizeof(void *) != 0 || *at + 2 * sizeof(void *) > end) return 0;
  uintptr_t next = ((const uintptr_t *)*at)[0], back = ((const uintptr_t *)*at)[1];
  // A frame that does not lie above its callee's is the last one.
  *at = next > *at ? next : end;
  return back < 4096 ? 0 : back;
}

const void *stallwatch_origin_above(const void *frame) {
  pthread_once(&extents_once, find_extents);
  uintptr_t at = (uintptr_t)frame, end = end_of_stack(frame);
  for (int depth = 0; depth < deepest_origin; depth++) {
    uintptr_t back = step_up(&at, end);
    if (back == 0) return NULL;
    if (!lies_in(back, foundation) && !lies_in(back, core)) return (const void *)back;
  }
  return NULL;
}

bool stallwatch_has_swift_library(void) {
  pthread_once(&extents_once, find_extents);
  return core.end != 0;
}

bool stallwatch_lies_in_system(const void *code) {
  pthread_once(&extents_once, find_extents);
  return lies_in((uintptr_t)code, dispatch) || lies_in((uintptr_t)code, foundation);
}

bool stallwatch_is_served_by_dispatch(const void *frame) {
  pthread_once(&extents_once, find_extents);
  uintptr_t at = (uintptr_t)frame, end = end_of_stack(frame);
  for (int depth = 0; depth < deepest_search; depth++) {
    uintptr_t back = step_up(&at, end);
    if (back == 0) return false;
    if (lies_in(back, dispatch) || lies_in(back, concurrency)) return true;
  }
  return false;
}

#else

const void *stallwatch_origin_above(const void *frame) {
  (void)frame;
  return NULL;
}

#endif
