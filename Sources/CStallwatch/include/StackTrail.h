#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "StackWalk.h"

// What a walk read and found, by which a later walk of the same thread knows the rest as soon as it comes to a frame
// that is still the same: the same registers and the same words lead to the same callers. A thread that is held moves
// in its innermost functions mostly.

enum {
  /// The most words of a walk that are kept. A walk that reads more leaves no trail.
  stallwatch_trail_words = 512,
#if defined(__aarch64__)
  /// The registers that functions preserve, and the one with the return address.
  stallwatch_trail_registers = 12,
#else
  /// The registers that functions preserve.
  stallwatch_trail_registers = 6,
#endif
};

/// The registers at one frame.
typedef struct {
  uint64_t program_counter;
  /// 0 where other registers are known, too: no walk comes back to such a frame.
  uint64_t stack_pointer;
  /// As in stallwatch_registers, and whether the program counter is where the thread stood.
  uint64_t known;
  uint64_t preserved[stallwatch_trail_registers];
  /// The first word that was read from here on.
  uint32_t first_word;
} stallwatch_trail_frame;

typedef struct {
  uint64_t address;
  uint64_t value;
} stallwatch_trail_word;

/// A thread's trail. All zeros is an empty one. Used on one thread only.
typedef struct stallwatch_trail {
  stallwatch_trail_frame frames[stallwatch_maximum_frames];
  stallwatch_trail_word words[stallwatch_trail_words];
  uint32_t frame_count;
  uint32_t word_count;
  stallwatch_walk_ending ending;
  /// The calls that the walk noted. One that comes back to the trail farther out has fewer than it would have kept.
  stallwatch_noted_call calls[stallwatch_maximum_noted_calls];
  uint32_t call_count;
  /// How many bytes of the stack the walk needed.
  size_t needed;
  /// Of the walkers' rules when it was made.
  uint64_t generation;
} stallwatch_trail;

/// Makes an empty trail; NULL when there is no memory.
stallwatch_trail *stallwatch_trail_create(void);
void stallwatch_trail_destroy(stallwatch_trail *trail);

/// Whether the stack of a blocked thread still reads as at the walk that left the trail, which began at the same place.
/// Copies as much of it as that needs.
bool stallwatch_is_on_trail(stallwatch_trail *trail, uint64_t program_counter, uint64_t stack_pointer, uint8_t *copy,
                            size_t room);
