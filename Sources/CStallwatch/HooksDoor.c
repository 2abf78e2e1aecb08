#define _GNU_SOURCE
#include "HooksDoor.h"

#include <dlfcn.h>
#include <stddef.h>

// A call through a type other than the function's own is undefined, so the hooks' types are named here too.
struct stallwatch_hooks_listener;
struct stallwatch_hooks_timer;
struct stallwatch_hooks_item;

#if !defined(__APPLE__)
// An executable does not export the hooks linked into it, so dlsym cannot find them; a weak reference does.
extern int stallwatch_hooks_register(const struct stallwatch_hooks_listener *listener) __attribute__((weak));
extern struct stallwatch_hooks_timer *stallwatch_hooks_find_timer(const void *timer) __attribute__((weak));
extern size_t stallwatch_hooks_lost_timers(void) __attribute__((weak));
extern size_t stallwatch_hooks_lost_items(void) __attribute__((weak));
extern const struct stallwatch_hooks_item *stallwatch_hooks_items(size_t *count) __attribute__((weak));
#endif

stallwatch_hooks_register_function stallwatch_find_hooks_register(void) {
  void *found = dlsym(RTLD_DEFAULT, "stallwatch_hooks_register");
  if (found != NULL) return (stallwatch_hooks_register_function)found;
#if !defined(__APPLE__)
  return (stallwatch_hooks_register_function)stallwatch_hooks_register;
#else
  return NULL;
#endif
}

typedef struct stallwatch_hooks_timer *(*find_timer_function)(const void *timer);
typedef size_t (*count_function)(void);

void *stallwatch_find_hooked_timer(const void *timer) {
  find_timer_function find = (find_timer_function)dlsym(RTLD_DEFAULT, "stallwatch_hooks_find_timer");
#if !defined(__APPLE__)
  if (find == NULL) find = stallwatch_hooks_find_timer;
#endif
  return find != NULL ? find(timer) : NULL;
}

static size_t none_lost(void) { return 0; }

size_t stallwatch_lost_hooked_timers(void) {
  count_function lost = (count_function)dlsym(RTLD_DEFAULT, "stallwatch_hooks_lost_timers");
#if !defined(__APPLE__)
  if (lost == NULL) lost = stallwatch_hooks_lost_timers;
#endif
  return lost != NULL ? lost() : 0;
}

size_t stallwatch_lost_hooked_items(void) {
  // Looked up once, before watching begins: dlsym takes the loader's lock, in which a program may be stuck later.
  static _Atomic(count_function) known;
  count_function lost = known;
  if (lost == NULL) {
    lost = (count_function)dlsym(RTLD_DEFAULT, "stallwatch_hooks_lost_items");
#if !defined(__APPLE__)
    if (lost == NULL) lost = stallwatch_hooks_lost_items;
#endif
    known = lost != NULL ? lost : none_lost;
  }
  return lost != NULL ? lost() : 0;
}

typedef const struct stallwatch_hooks_item *(*items_function)(size_t *count);

static const struct stallwatch_hooks_item *no_items(size_t *count) {
  *count = 0;
  return NULL;
}

const struct stallwatch_hooks_item *stallwatch_hooked_items(size_t *count) {
  static _Atomic(items_function) known;
  items_function items = known;
  if (items == NULL) {
    items = (items_function)dlsym(RTLD_DEFAULT, "stallwatch_hooks_items");
#if !defined(__APPLE__)
    if (items == NULL) items = stallwatch_hooks_items;
#endif
    known = items = items != NULL ? items : no_items;
  }
  return items(count);
}
