#define _GNU_SOURCE
#include "HooksDoor.h"

#include <dlfcn.h>
#include <stddef.h>

#if !defined(__APPLE__)
// An executable does not export the hooks that are linked into it, so dlsym cannot find them; a weak reference does.
extern int stallwatch_hooks_register(const void *listener) __attribute__((weak));
#endif

stallwatch_hooks_register_function stallwatch_find_hooks_register(void) {
  void *found = dlsym(RTLD_DEFAULT, "stallwatch_hooks_register");
  if (found != NULL) return (stallwatch_hooks_register_function)found;
#if !defined(__APPLE__)
  return stallwatch_hooks_register;
#else
  return NULL;
#endif
}
