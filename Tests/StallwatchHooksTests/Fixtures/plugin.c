// A library that uses Dispatch, for a program that does not: its queue serves one function.

#include <stdio.h>

typedef void *queue;
extern queue dispatch_queue_create(const char *label, void *attributes);
extern void dispatch_async_f(queue queue, void *context, void (*work)(void *));
extern void dispatch_sync_f(queue queue, void *context, void (*work)(void *));

static void serve(void *context) {
  puts(context);
  fflush(stdout);
}

static void nothing(void *context) { (void)context; }

void run(void) {
  queue own = dispatch_queue_create("plugin", NULL);
  dispatch_async_f(own, "served", serve);
  dispatch_sync_f(own, NULL, nothing);
}
