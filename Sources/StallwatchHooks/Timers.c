// The timers of the process. The hooks wrap the program's callout and context of each in their own, which
// shows when it fires and ends.

#include "Timers.h"

#include <stdatomic.h>

#include "CallerSearch.h"
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

timer_record *stallwatch_take_timer(
    timer_callout callout, const timer_context *context, double interval, const void *frame) {
  if (callout == NULL) return NULL;
  for (unsigned tries = 0; tries < capacity && atomic_load_explicit(&used, memory_order_relaxed) < capacity; tries++) {
    unsigned place = (unsigned)(atomic_fetch_add_explicit(&next_free, 1, memory_order_relaxed) % capacity);
    timer_record *record = &records[place];
    unsigned expected = is_free;
    if (!atomic_compare_exchange_strong(&record->state, &expected, is_taken)) continue;
    atomic_fetch_add_explicit(&used, 1, memory_order_relaxed);
    record->seen = (stallwatch_hooks_timer){.origin = stallwatch_origin_above(frame), .interval = interval > 0 ? interval : 0};
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
  stallwatch_notify_did_make_timer(&record->seen);
}

void stallwatch_timer_is_added(timer_record *record, const void *loop, const void *mode) {
  record->seen.loop = loop;
  stallwatch_notify_will_add_timer(loop, &record->seen, mode);
}

void stallwatch_timer_ends(timer_record *record) {
  unsigned expected = is_made;
  if (atomic_compare_exchange_strong(&record->state, &expected, is_ended)) {
    stallwatch_notify_will_end_timer(&record->seen);
  }
}

void stallwatch_timer_fires(const void *timer, void *info) {
  timer_record *record = info;
  // CoreFoundation holds the context until we return, even if the timer ends meanwhile.
  bool was_heard = stallwatch_notify_will_fire_timer(&record->seen);
  record->callout(timer, record->context.info);
  if (was_heard) stallwatch_notify_did_fire_timer(&record->seen);
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
