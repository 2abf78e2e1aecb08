// Blocks, and those that Dispatch makes of others.
//
// What runs the latter works whoever calls it: cancelling them, waiting for them and being notified of their end goes by
// the block itself, which stays the same. But they may be barriers, by a flag that Dispatch keeps in them
// (dispatch_block_private_data_s, src/block.cpp and src/queue_internal.h of swift-corelibs-libdispatch).

#define _GNU_SOURCE
#include "DispatchBlocks.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <stddef.h>

/// The start of what Dispatch keeps in a block that it has made.
typedef struct {
  stallwatch_block header;
  unsigned long magic, flags;
  unsigned int atomic_flags;
  int performed;
  unsigned long priority;
  const void *voucher, *block;
} item_block;

/// DISPATCH_BLOCK_PRIVATE_DATA_MAGIC and DISPATCH_BLOCK_BARRIER.
static const unsigned long item_magic = 0xd159b10c, barrier = 1;

static void *(*copy_block)(const void *block);
static void (*release_block)(const void *block);
static const void *stack_block;
/// What runs the blocks that Dispatch has made.
static stallwatch_work item_invoke;
/// Whether their flags lie where this library's blocks show them.
static bool shows_flags;

/// Whether a block that was made of `original` with these flags has everything in its place.
static bool is_as_declared(const item_block *made, unsigned long flags, const void *original) {
  size_t size = ((const size_t *)made->header.descriptor)[1];
  return made->header.invoke == item_invoke && size >= sizeof(item_block) && made->magic == item_magic &&
         (made->flags & barrier) == flags && made->atomic_flags == 0 && made->performed == 0 && made->block == original;
}

bool stallwatch_learn_blocks(void) {
  static const unsigned long descriptor[2] = {0, sizeof(stallwatch_block)};
  enum { is_global = 1 << 28 };
  stallwatch_block *(*create)(unsigned long flags, const void *block);
  *(void **)&create = dlsym(RTLD_NEXT, "dispatch_block_create");
  *(void **)&copy_block = dlsym(RTLD_DEFAULT, "_Block_copy");
  *(void **)&release_block = dlsym(RTLD_DEFAULT, "_Block_release");
  stack_block = dlsym(RTLD_DEFAULT, "_NSConcreteStackBlock");
  static stallwatch_block nothing = {.flags = is_global, .descriptor = descriptor};
  nothing.isa = dlsym(RTLD_DEFAULT, "_NSConcreteGlobalBlock");
  if (create == NULL || copy_block == NULL || release_block == NULL || nothing.isa == NULL) return false;
  stallwatch_block *plain = create(0, &nothing), *ordered = create(barrier, &nothing);
  if (plain != NULL) item_invoke = plain->invoke;
  shows_flags = plain != NULL && ordered != NULL && is_as_declared((const item_block *)plain, 0, &nothing) &&
                is_as_declared((const item_block *)ordered, barrier, &nothing);
  if (plain != NULL) release_block(plain);
  if (ordered != NULL) release_block(ordered);
  return item_invoke != NULL;
}

stallwatch_block_kind stallwatch_kind_of_block(const stallwatch_block *block) {
  if (block->invoke != item_invoke) return stallwatch_plain_block;
  if (!shows_flags) return stallwatch_unknown_block;
  return ((const item_block *)block)->flags & barrier ? stallwatch_barrier_block : stallwatch_item_block;
}

const void *stallwatch_stack_block(void) { return stack_block; }

void *stallwatch_copy_block(const void *block) { return copy_block(block); }

void stallwatch_release_block(const void *block) { release_block(block); }

#endif
