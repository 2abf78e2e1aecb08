// A listener that gives each item without a lane the same one, and prints which lane items come with.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "StallwatchHooks.h"

static uint32_t own;

static void did_enqueue(
    stallwatch_hooks_item *item, const char *label, stallwatch_hooks_item_kind kind, bool is_due) {
  (void)label, (void)kind, (void)is_due;
  printf("%u\n", item->lane);
  if (item->lane == 0) item->lane = own;
}

static const stallwatch_hooks_listener listener = {.size = sizeof listener, .did_enqueue = did_enqueue};

static void enroll(const stallwatch_hooks_listener *it) {
  int (*enroll)(const stallwatch_hooks_listener *) = dlsym(RTLD_DEFAULT, "stallwatch_hooks_register");
  if (enroll == NULL || enroll(it) != 0) abort();
}

void listen_as(uint32_t lane) {
  own = lane;
  enroll(&listener);
}

void stop_listening(void) { enroll(NULL); }
