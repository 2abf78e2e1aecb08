#pragma once

#include <stdbool.h>

typedef void (*stallwatch_work)(void *context);

/// The start of every block (the Blocks ABI).
typedef struct {
  const void *isa;
  int flags, reserved;
  stallwatch_work invoke;
  const void *descriptor;
} stallwatch_block;

/// What is known of a block before it is enqueued.
typedef enum {
  /// The program's own.
  stallwatch_plain_block,
  // Dispatch made it of another one (dispatch_block_create, DispatchWorkItem).
  stallwatch_item_block,
  /// That is to be enqueued as a barrier.
  stallwatch_barrier_block,
  /// That may be a barrier: Dispatch keeps its flags where nobody knows.
  stallwatch_unknown_block,
} stallwatch_block_kind;

/// Learns what blocks of Dispatch's look like. False without Dispatch, or without blocks: then call nothing else. Once, on
/// one thread, before all others. On Linux only.
bool stallwatch_learn_blocks(void);

/// Two loads and a comparison for most. Any thread.
stallwatch_block_kind stallwatch_kind_of_block(const stallwatch_block *block);

/// The class of a block that lies on a stack until it is copied; NULL: not known.
const void *stallwatch_stack_block(void);

/// As the Blocks runtime does it.
void *stallwatch_copy_block(const void *block);
void stallwatch_release_block(const void *block);
