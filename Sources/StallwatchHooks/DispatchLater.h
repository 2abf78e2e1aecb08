#pragma once

#include <stdbool.h>

#include "DispatchBlocks.h"

/// What Dispatch is to call of the program.
typedef struct {
  stallwatch_work work;
  void *context;
  /// Whether it is the context's block, of which this is a copy.
  bool is_block;
} stallwatch_called;

/// Whether the calling thread enqueues what is to come later: Dispatch enqueues that at once if its time has come.
extern __thread bool stallwatch_enqueues_later __attribute__((tls_model("initial-exec")));

stallwatch_called stallwatch_called_later(stallwatch_work work, void *context);

/// What of the program `work` calls, which Dispatch or the program enqueues. Any thread. On Linux only.
static inline stallwatch_called stallwatch_called_by(stallwatch_work work, void *context) {
  if (stallwatch_enqueues_later) return stallwatch_called_later(work, context);
  return (stallwatch_called){work, context, false};
}
