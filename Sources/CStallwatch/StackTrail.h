#pragma once
#include "include/StackTrail.h"

/// What a walk does with its thread's trail: leaves one, or looks where it comes back to the one that is there.
typedef struct {
  /// NULL: neither.
  stallwatch_trail *trail;
  bool leaves;
  /// Whether something was read that no trail can vouch for: code that may be written anew, or no stack at all.
  bool is_spoilt;
  /// Whether of the registers only the stack pointer is known, as those of a blocked thread.
  bool is_blocked;
  /// The trail's next frame to come back to.
  uint32_t next;
  /// Words before this one are known to have changed.
  uint32_t unchanged;
} trail_use;

trail_use begin_trail(stallwatch_trail *trail);

/// Makes all trails useless, because code was loaded or unloaded.
void end_all_trails(void);

/// Notes a word that was read; `is_there` says whether it could be.
void note_trail_word(trail_use *use, uint64_t address, uint64_t value, bool is_there);

/// Comes to a frame. True if it and all that led on from it are as they were: then `walk` has the rest of the frames.
/// `needed` is raised to where the farthest of the words ends.
bool meet_trail(trail_use *use, const stallwatch_registers *registers, bool is_exact, const stallwatch_stack_copy *stack,
                stallwatch_walk *walk, size_t *needed);

/// Ends a walk; `met` says whether it came back to the trail.
void end_trail(trail_use *use, const stallwatch_walk *walk, bool met);
