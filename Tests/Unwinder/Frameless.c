// Functions without unwind tables that keep no frame records, as small ones of Swift's libraries: the return address
// alone tells the way to their callers.

#include "Frameless.h"

static int call(int (*body)(void));
static int (*volatile pointer)(int (*body)(void)) = call;

/// Before the function that it calls.
int frameless_point(int (*body)(void)) {
  int sum = pointer(body) + 1;
  __asm__ volatile("" : "+r"(sum));
  return sum;
}

static __attribute__((noinline)) int call(int (*body)(void)) {
  int sum = body();
  __asm__ volatile("" : "+r"(sum));
  return sum;
}

int frameless_call(int (*body)(void)) {
  int sum = call(body) + 1;
  __asm__ volatile("" : "+r"(sum));
  return sum;
}

int frameless_jump(int (*body)(void)) { return call(body); }
