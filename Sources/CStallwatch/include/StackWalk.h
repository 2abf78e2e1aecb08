#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Turns a thread's registers and a copy of its stack into frames. Works on copies only and never touches the
// thread; memory unmapped or unloaded meanwhile ends the walk instead of faulting.

enum {
  /// The registers in unwind tables, by their DWARF numbers.
#if defined(__aarch64__)
  stallwatch_register_count = 32,
#else
  stallwatch_register_count = 16,
#endif
  /// The most frames kept of a stack, from the leaf on.
  stallwatch_maximum_frames = 128,
  /// The most calls of the noted code that are kept of a stack, from the leaf on.
  stallwatch_maximum_noted_calls = 8,
};

/// A thread's registers, as far as they are known.
typedef struct {
  uint64_t program_counter;
  uint64_t value[stallwatch_register_count];
  /// Bit n: `value[n]` is known.
  uint64_t known;
} stallwatch_registers;

/// Registers of which only the program counter and the stack pointer are known.
stallwatch_registers stallwatch_registers_at(uint64_t program_counter, uint64_t stack_pointer);

/// A piece of executable memory.
typedef struct {
  uint64_t start;
  uint64_t end;
  /// The address of its image's .eh_frame_hdr; 0 when it has none.
  uint64_t tables;
} stallwatch_code_range;

/// All executable memory, ordered by address.
typedef struct {
  const stallwatch_code_range *ranges;
  size_t count;
  /// The code whose calls walks note, from its first address to before its end: Swift's runtime for asynchronous functions.
  /// Both 0: none.
  uint64_t noted_start, noted_end;
} stallwatch_code_map;

/// A copy of a stack's used part from the stack pointer on, as far as there was room.
typedef struct {
  uint64_t start;
  size_t length;
  const uint8_t *bytes;
} stallwatch_stack_copy;

/// Why a walk ended.
typedef enum {
  /// At the thread's first function.
  stallwatch_walk_complete,
  /// At the end of the copy: there is more stack than was copied.
  stallwatch_walk_beyond_copy,
  /// At a program counter outside all known code.
  stallwatch_walk_unknown_code,
  /// At a frame whose caller could not be found.
  stallwatch_walk_lost,
} stallwatch_walk_ending;

/// A function that the noted code has called, and where an asynchronous one has its context.
typedef struct {
  /// The place of its frame among the walk's.
  uint32_t frame;
  /// Its first address; 0 when it has no tables.
  uint64_t function;
  /// The word below its frame record, where a function that has an extended record keeps its context; 0 where not known.
  /// Of x86-64 only.
  uint64_t kept_context;
  /// What was in the register in which it got its context; 0 where not known.
  uint64_t register_context;
} stallwatch_noted_call;

/// A stack's frames.
typedef struct {
  /// Leaf first: the first is where the thread stood, the others are return addresses.
  uint64_t frames[stallwatch_maximum_frames];
  uint32_t count;
  /// The number of frames beyond the last one kept.
  uint32_t cut;
  /// How many bytes of the copied stack the walk needed, from its start on.
  size_t needed;
  stallwatch_walk_ending ending;
  /// The innermost calls of the noted code, leaf first.
  stallwatch_noted_call calls[stallwatch_maximum_noted_calls];
  uint32_t call_count;
} stallwatch_walk;

/// Puts frames behind the one at `place`. Frames for which no room is left count as cut.
void stallwatch_insert_frames(stallwatch_walk *walk, uint32_t place, const uint64_t *frames, uint32_t count);

/// Whether a function begins at an address, by the unwind tables.
bool stallwatch_is_function(stallwatch_code_map code, uint64_t address);

/// Caches the rules of functions it has seen, to save reading their tables again. Used on one thread only.
typedef struct stallwatch_walker stallwatch_walker;

/// Makes a walker; NULL when there is no memory. Free it with stallwatch_walker_destroy().
stallwatch_walker *stallwatch_walker_create(void);
void stallwatch_walker_destroy(stallwatch_walker *walker);
/// Forgets all cached rules, because code was loaded or unloaded.
void stallwatch_walker_forget(stallwatch_walker *walker);

struct stallwatch_trail;

/// Walks a stack: by unwind tables, else by frame pointers, else by searching for the frame. With a `trail`, which is the
/// thread's and may be NULL, it takes what an earlier walk found from where that is still so. The code map is the same as
/// then, unless stallwatch_walker_forget() was called since.
void stallwatch_walk_stack(stallwatch_walker *walker, const stallwatch_registers *registers,
                           stallwatch_stack_copy stack, stallwatch_code_map code, struct stallwatch_trail *trail,
                           stallwatch_walk *walk);
