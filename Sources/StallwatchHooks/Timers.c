// The timers of the process. The hooks wrap the program's callout and context of each in their own, which
// shows when it fires and ends.

#define _GNU_SOURCE
#include "Timers.h"

#include <dlfcn.h>
#if defined(__linux__)
#include <link.h>
#include <sys/syscall.h>
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "Listener.h"

struct timer_record {
  /// What the listener sees. First, so that a pointer to one is a pointer to the other.
  stallwatch_hooks_timer seen;
  timer_callout callout;
  /// The program's own context.
  timer_context context;
  /// Holders of the context: the timer itself, and CoreFoundation during each callout.
  atomic_uint holders;
  /// One of is_free, is_taken, is_made, is_ended.
  atomic_uint state;
};

enum { is_free, is_taken, is_made, is_ended };

/// The most timers at one time: 460 KB of address space, of which only touched pages are backed. Further
/// timers are not seen, and counted in `lost`.
enum { capacity = 4096 };
static timer_record records[capacity];
/// Places handed out so far, round and round. 64 bits, so that the count itself never wraps.
static atomic_ullong next_free;
static atomic_uint used;
static atomic_size_t lost;

/// How many frames to search for the maker of a timer; Foundation is two or three calls deep.
enum { deepest_origin = 12 };

#if defined(__linux__)

/// The extent of one of Swift's own images, by an address in it.
typedef struct {
  uintptr_t start, end;
} extent;

static extent foundation, core;
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

/// The first return address outside Foundation and the Swift runtime, by frame pointers within the stack.
static const void *origin_above(const void *frame) {
  pthread_once(&extents_once, find_extents);
  uintptr_t at = (uintptr_t)frame, end = end_of_stack(frame);
  for (int depth = 0; depth < deepest_origin; depth++) {
    if (at % sizeof(void *) != 0 || at + 2 * sizeof(void *) > end) return NULL;
    uintptr_t next = ((const uintptr_t *)at)[0], back = ((const uintptr_t *)at)[1];
    if (back < 4096) return NULL;
    if (!lies_in(back, foundation) && !lies_in(back, core)) return (const void *)back;
    if (next <= at) return NULL;
    at = next;
  }
  return NULL;
}

#else

static const void *origin_above(const void *frame) {
  (void)frame;
  return NULL;
}

#endif

timer_record *stallwatch_take_timer(
    timer_callout callout, const timer_context *context, double interval, const void *frame) {
  if (callout == NULL) return NULL;
  for (unsigned tries = 0; tries < capacity && atomic_load_explicit(&used, memory_order_relaxed) < capacity; tries++) {
    unsigned place = (unsigned)(atomic_fetch_add_explicit(&next_free, 1, memory_order_relaxed) % capacity);
    timer_record *record = &records[place];
    unsigned expected = is_free;
    if (!atomic_compare_exchange_strong(&record->state, &expected, is_taken)) continue;
    atomic_fetch_add_explicit(&used, 1, memory_order_relaxed);
    record->seen = (stallwatch_hooks_timer){.origin = origin_above(frame), .interval = interval > 0 ? interval : 0};
    record->callout = callout;
    record->context = context != NULL ? *context : (timer_context){0};
    atomic_store_explicit(&record->holders, 0, memory_order_relaxed);
    return record;
  }
  atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
  return NULL;
}

size_t stallwatch_hooks_lost_timers(void) { return atomic_load_explicit(&lost, memory_order_relaxed); }

static void give_back(timer_record *record) {
  atomic_fetch_sub_explicit(&used, 1, memory_order_relaxed);
  atomic_store_explicit(&record->state, is_free, memory_order_release);
}

/// CoreFoundation's first hold is the timer's. Retains the program's context once, while ours is held.
static const void *retain(const void *info) {
  timer_record *record = (timer_record *)info;
  if (atomic_fetch_add_explicit(&record->holders, 1, memory_order_relaxed) == 0 && record->context.retain != NULL)
    record->context.info = (void *)record->context.retain(record->context.info);
  return info;
}

static void release(const void *info) {
  timer_record *record = (timer_record *)info;
  if (atomic_fetch_sub_explicit(&record->holders, 1, memory_order_acq_rel) != 1) return;
  stallwatch_timer_ends(record);
  timer_context context = record->context;
  give_back(record);
  if (context.release != NULL) context.release(context.info);
}

static const void *describe(const void *info) {
  const timer_record *record = info;
  return record->context.describe != NULL ? record->context.describe(record->context.info) : NULL;
}

timer_context stallwatch_timer_context(timer_record *record) {
  return (timer_context){.version = record->context.version, .info = record, .retain = retain, .release = release,
                         .describe = record->context.describe != NULL ? describe : NULL};
}

void stallwatch_timer_was_made(timer_record *record, const void *timer) {
  if (timer == NULL) return give_back(record);
  record->seen.timer = timer;
  atomic_store_explicit(&record->state, is_made, memory_order_release);
  stallwatch_tell_did_make_timer(&record->seen);
}

void stallwatch_timer_is_added(timer_record *record, const void *loop, const void *mode) {
  record->seen.loop = loop;
  stallwatch_tell_will_add_timer(loop, &record->seen, mode);
}

void stallwatch_timer_ends(timer_record *record) {
  unsigned expected = is_made;
  if (atomic_compare_exchange_strong(&record->state, &expected, is_ended)) stallwatch_tell_will_end_timer(&record->seen);
}

void stallwatch_timer_fires(const void *timer, void *info) {
  timer_record *record = info;
  // CoreFoundation holds the context until we return, even if the timer ends meanwhile.
  bool told = stallwatch_tell_will_fire_timer(&record->seen);
  record->callout(timer, record->context.info);
  if (told) stallwatch_tell_did_fire_timer(&record->seen);
}

timer_record *stallwatch_timer_in_context(const timer_context *context) {
  return context->retain == retain ? context->info : NULL;
}

void stallwatch_restore_context(timer_context *context) {
  timer_record *record = stallwatch_timer_in_context(context);
  if (record != NULL) {
    *context = record->context;
  } else if (context->retain == retain) {
    // An invalid timer has no info, and CoreFoundation must call nothing of ours for it.
    *context = (timer_context){.version = context->version};
  }
}

/// How many places ever held a timer. Touching the pages of the rest would slow the start of a program.
static unsigned touched(void) {
  unsigned long long taken = atomic_load_explicit(&next_free, memory_order_acquire);
  return taken < capacity ? (unsigned)taken : capacity;
}

void stallwatch_for_each_timer(void (*body)(stallwatch_hooks_timer *timer)) {
  for (unsigned place = 0, end = touched(); place < end; place++)
    if (atomic_load_explicit(&records[place].state, memory_order_acquire) == is_made) body(&records[place].seen);
}

void stallwatch_clear_tags(void) {
  for (unsigned place = 0, end = touched(); place < end; place++) records[place].seen.tag = NULL;
}
