// Functions without unwind tables: their frame records, or nothing, tell the way to their callers.

#include "Bare.h"

__attribute__((noinline)) int bare_inner(int (*body)(void)) {
  volatile char room[200];
  room[0] = 1;
  return body() + room[0];
}

__attribute__((noinline)) int bare_sized(int (*body)(void), int size) {
  volatile char room[size];
  room[0] = 1;
  return body() + room[0];
}

__attribute__((noinline)) int bare_leaf(int first, int second) {
  volatile int sum = first;
  sum += second;
  return sum;
}

__attribute__((noinline)) int bare_outer(int (*body)(void)) {
  volatile char room[700];
  room[0] = 1;
  return bare_inner(body) + room[0];
}
