// Default actors of Swift's runtime: which task waits for which of them, and which thread serves one.
//
// Compiled code asks for an actor by `swift_task_switch`, a call through the program's PLT. Where the actor is free, the
// task runs on at once, and no further call shows that. Otherwise the runtime takes the task off its thread
// (`swift_task_exitThreadLocalContext`) and enqueues it; who serves the actor puts it on again
// (`swift_task_enterThreadLocalContext`). Both are calls of libswift_Concurrency into libswiftCore through its PLT.

#include "ActorWork.h"

#if defined(__linux__)

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ActorName.h"
#include "Injection.h"
#include "Items.h"
#include "KnownLanes.h"
#include "Listener.h"
#include "OwnThread.h"
#include "Runtime.h"

#define EXPORTED __attribute__((visibility("default")))

typedef stallwatch_hooks_item item;

/// The runtime's SerialExecutorRef: a default actor has no implementation besides itself, the pool no identity either.
typedef struct {
  const void *identity;
  uintptr_t implementation;
} executor;

typedef __attribute__((swiftasynccall)) void (*switch_function)(
    __attribute__((swift_async_context)) void *context, void *resume, const void *identity, uintptr_t implementation);
typedef __attribute__((swiftcall)) executor (*current_function)(void);
/// `task` lies within the task, the same for all of its calls.
typedef void (*context_function)(char *task);

/// The runtime's functions after ours. A program that calls one of ours has all of them.
static struct {
  switch_function switch_task;
  context_function enter, exit;
  current_function current;
} runtime;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_found;

static void find_runtime(void) {
  static const char concurrency[] = "libswift_Concurrency.so", core[] = "libswiftCore.so";
  *(void **)&runtime.switch_task = stallwatch_find_onward(concurrency, "swift_task_switch");
  *(void **)&runtime.current = stallwatch_find_onward(concurrency, "swift_task_getCurrentExecutor");
  *(void **)&runtime.enter = stallwatch_find_onward(core, "swift_task_enterThreadLocalContext");
  *(void **)&runtime.exit = stallwatch_find_onward(core, "swift_task_exitThreadLocalContext");
  atomic_store_explicit(&is_found, true, memory_order_release);
}

static inline void know_runtime(void) {
  if (!atomic_load_explicit(&is_found, memory_order_acquire)) pthread_once(&once, find_runtime);
}

/// What the calling thread serves of a default actor: NULL, nothing. Asked for, it may yet turn out to be served by another
/// thread, and the task to wait. `jobs`: how many brackets of jobs are open, one inside the other; outside of them, what is
/// asked for `is_hidden` until it must wait.
static __thread struct {
  item *served;
  bool is_asked, is_hidden;
  unsigned jobs;
} here __attribute__((tls_model("initial-exec")));

// MARK: Tasks that wait

/// Which item stands for a task that waits, by the task: a task waits once at a time. Some tasks share a row, and where it
/// is full, one more is not seen, and counted: with 8,000 that wait, one in ten thousand.
enum { rows = 4096, places = 8 };
static _Atomic uint64_t waiting[rows][places] __attribute__((aligned(64)));
/// Whether a task has ever waited: in most servers none does, and then each that goes on need not look for its row, which
/// no cache has.
static atomic_bool has_waited;

/// The task's bits of an entry, above the item's number. Tasks are aligned to 16 bytes, and addresses have 47 bits.
static uint64_t key_of(const char *task) { return ((uint64_t)(uintptr_t)task >> 4) << 16; }

static _Atomic uint64_t *row_of(uint64_t key) { return waiting[(key * 0x9e3779b97f4a7c15) >> 52]; }

static bool keep_waiting(item *own, const char *task) {
  uint64_t key = key_of(task), entry = key | stallwatch_number_of_item(own);
  // Whoever takes the task on reads it after the runtime has handed that on.
  if (!atomic_load_explicit(&has_waited, memory_order_relaxed))
    atomic_store_explicit(&has_waited, true, memory_order_relaxed);
  _Atomic uint64_t *row = row_of(key);
  for (int i = 0; i < places; i++) {
    uint64_t free = 0;
    if (atomic_compare_exchange_strong_explicit(&row[i], &free, entry, memory_order_release, memory_order_relaxed))
      return true;
  }
  return false;
}

/// The item of a task that waited and runs now; NULL where none was seen.
static item *take_waiting(const char *task) {
  if (!atomic_load_explicit(&has_waited, memory_order_relaxed)) return NULL;
  uint64_t key = key_of(task);
  _Atomic uint64_t *row = row_of(key);
  for (int i = 0; i < places; i++) {
    uint64_t entry = atomic_load_explicit(&row[i], memory_order_acquire);
    if ((entry & ~(uint64_t)0xffff) != key || entry == 0) continue;
    atomic_store_explicit(&row[i], 0, memory_order_release);
    return stallwatch_item_of_number(entry & 0xffff);
  }
  return NULL;
}

// MARK: Proof

/// Whether the runtime does with tasks and actors what this file takes it to do, by the first task that had to wait: it must
/// go on in the actor that it had asked for. Else actors are not watched from then on, and what asks for one, or waits and
/// goes on, is counted as lost.
enum { unproven, right, wrong };
static atomic_int proof;

static bool is_broken(void) { return atomic_load_explicit(&proof, memory_order_relaxed) == wrong; }

/// Whether an item stands for the task that goes on now on the calling thread, after it had waited.
static bool is_right_for(const item *own) {
  int known = atomic_load_explicit(&proof, memory_order_relaxed);
  if (known != unproven) return known == right;
  int found = runtime.current().identity == own->queue ? right : wrong;
  if (!atomic_compare_exchange_strong(&proof, &known, found)) return known == right;
  if (found == wrong)
    stallwatch_note_seam_at_end(
        "tasks do not go on in the actors that they asked for as far as stallwatch can see, so that actors are not watched; "
        "build the program with the toolchain of stallwatch");
  return found == right;
}

// MARK: Lanes

static const void *class_of(const void *actor) { return *(const void *const *)actor; }

/// The lane of an actor's class; 0: not known.
static uint32_t lane_of(const void *actor) { return stallwatch_known_lane(class_of(actor)); }

/// An item for an actor; NULL without room, or where actors of its class are not watched.
static item *item_for(const void *actor, void *resume) {
  item *new = stallwatch_take_item();
  if (new == NULL) return NULL;
  *(void **)&new->work = resume;
  new->context = NULL;
  new->is_block = false;
  new->queue = actor;
  new->lane = lane_of(actor);
  if (new->lane != 0) return new;
  char name[stallwatch_longest_actor_name];
  stallwatch_notify_did_enqueue(
      new, stallwatch_actor_name(class_of(actor), name, sizeof name), stallwatch_hooks_actor, false);
  if (new->lane == 0) {
    stallwatch_give_back_item(new);
    return NULL;
  }
  stallwatch_keep_lane(class_of(actor), new->lane);
  return new;
}

static bool is_default_actor(executor it) { return it.identity != NULL && it.implementation == 0; }

// MARK: Service

/// Notes that the calling thread has left the default actor that it served, if it served one.
static void leave_actor(void) {
  item *own = here.served;
  if (own == NULL) return;
  here.served = NULL;
  if (here.is_hidden) return stallwatch_lose_item(own);
  stallwatch_notify_did_end(own, here.is_asked);
  stallwatch_give_back_item(own);
}

void stallwatch_begin_jobs(void) { here.jobs++; }

void stallwatch_end_jobs(void) {
  leave_actor();
  here.jobs--;
}

/// The task on the calling thread asks for an executor.
static void ask(void *resume, executor next) {
  item *own = here.served;
  if (own != NULL ? own->queue == next.identity : !is_default_actor(next)) return;
  if (is_broken()) {
    leave_actor();
    if (is_default_actor(next)) (void)stallwatch_lose_unseen();
    return;
  }
  uint32_t lane = own != NULL && !here.is_hidden && is_default_actor(next) ? lane_of(next.identity) : 0;
  if (lane != 0 && stallwatch_notify_did_hop(own, here.is_asked, next.identity, lane)) {
    *(void **)&own->work = resume;
    here.is_asked = true;
    return;
  }
  leave_actor();
  if (!is_default_actor(next) || stallwatch_listener() == NULL) return;
  item *new = item_for(next.identity, resume);
  if (new == NULL) return;
  here.is_hidden = here.jobs == 0;
  if (!here.is_hidden) stallwatch_notify_may_begin(new, stallwatch_own_thread());
  here.is_asked = true;
  here.served = new;
}

/// Apart, so that the switches that ask for no actor, which are nearly all, save no registers.
static __attribute__((swiftasynccall, noinline)) void ask_and_switch(
    __attribute__((swift_async_context)) void *context, void *resume, const void *identity, uintptr_t implementation) {
  know_runtime();
  ask(resume, (executor){identity, implementation});
  __attribute__((musttail)) return runtime.switch_task(context, resume, identity, implementation);
}

EXPORTED __attribute__((swiftasynccall)) void swift_task_switch(
    __attribute__((swift_async_context)) void *context, void *resume, const void *identity, uintptr_t implementation) {
  if (here.served != NULL || is_default_actor((executor){identity, implementation}) ||
      !atomic_load_explicit(&is_found, memory_order_acquire))
    __attribute__((musttail)) return ask_and_switch(context, resume, identity, implementation);
  __attribute__((musttail)) return runtime.switch_task(context, resume, identity, implementation);
}

EXPORTED void swift_task_exitThreadLocalContext(char *task) {
  know_runtime();
  runtime.exit(task);
  item *own = here.served;
  if (own == NULL) return;
  // The thread still serves what it did before it asked: the actor has to be waited for. Nobody can begin the task before
  // this returns.
  if (here.is_asked && !is_broken() && runtime.current().identity != own->queue) {
    here.served = NULL;
    if (here.is_hidden) stallwatch_notify_may_begin(own, stallwatch_own_thread());
    if (keep_waiting(own, task)) return stallwatch_notify_must_wait(own);
    stallwatch_lose_item(own);
    return;
  }
  leave_actor();
}

EXPORTED void swift_task_enterThreadLocalContext(char *task) {
  know_runtime();
  runtime.enter(task);
  // A task that completes leaves its thread without a call.
  leave_actor();
  item *own = take_waiting(task);
  if (own != NULL && (!is_right_for(own) || here.jobs == 0)) return stallwatch_lose_item(own);
  if (own == NULL) {
    if (stallwatch_listener() == NULL || is_broken()) return;
    executor now = runtime.current();
    if (!is_default_actor(now)) return;
    own = here.jobs > 0 ? item_for(now.identity, NULL) : stallwatch_lose_unseen();
    if (own == NULL) return;
  }
  here.is_asked = here.is_hidden = false;
  here.served = own;
  stallwatch_notify_will_begin(own, stallwatch_own_thread());
}

#else

void stallwatch_begin_jobs(void) {}
void stallwatch_end_jobs(void) {}

#endif
