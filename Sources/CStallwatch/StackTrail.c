#ifdef __linux__
#include "StackTrail.h"

#include <string.h>
#include <sys/mman.h>

#include "FrameRule.h"
#include "SafeMemory.h"

enum {
  /// How many frames a walk may go before it comes back to the trail. After a longer one, the next leaves a new trail.
  longest_detour = 12,
};

static const uint64_t exact_mark = UINT64_C(1) << 63, only_stack_pointer = UINT64_C(1) << register_sp;

#if defined(__aarch64__)
static const unsigned columns[stallwatch_trail_registers] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
static const uint64_t kept_columns = UINT64_C(0xfff) << 19 | UINT64_C(1) << register_sp;
#else
static const unsigned columns[stallwatch_trail_registers] = {3, 6, 12, 13, 14, 15};
static const uint64_t kept_columns = 1u << 3 | 1u << 6 | 0xfu << 12 | 1u << register_sp;
#endif

// Pages of its own, which are not there until something is written.
stallwatch_trail *stallwatch_trail_create(void) {
  void *memory = mmap(NULL, sizeof(stallwatch_trail), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void stallwatch_trail_destroy(stallwatch_trail *trail) { munmap(trail, sizeof *trail); }

/// How often code was loaded or unloaded.
static _Atomic uint64_t generation;

void end_all_trails(void) { generation++; }

trail_use begin_trail(stallwatch_trail *trail) {
  trail_use use = {.trail = trail};
  if (trail == NULL) return use;
  use.leaves = trail->frame_count == 0 || trail->generation != generation;
  if (use.leaves) {
    trail->frame_count = trail->word_count = 0;
    trail->generation = generation;
  }
  return use;
}

void note_trail_word(trail_use *use, uint64_t address, uint64_t value, bool is_there) {
  if (!use->leaves) return;
  stallwatch_trail *trail = use->trail;
  if (!is_there || trail->word_count == stallwatch_trail_words) use->is_spoilt = true;
  else trail->words[trail->word_count++] = (stallwatch_trail_word){address, value};
}

static void note_frame(stallwatch_trail *trail, const stallwatch_registers *registers, bool is_exact) {
  stallwatch_trail_frame *frame = &trail->frames[trail->frame_count++];
  frame->program_counter = registers->program_counter;
  frame->stack_pointer = registers->known & ~kept_columns ? 0 : registers->value[register_sp];
  frame->known = registers->known | (is_exact ? exact_mark : 0);
  for (unsigned place = 0; place < stallwatch_trail_registers; place++)
    frame->preserved[place] = registers->value[columns[place]];
  frame->first_word = trail->word_count;
}

static bool is_at(const stallwatch_trail_frame *frame, const stallwatch_registers *registers, bool is_exact) {
  if (frame->program_counter != registers->program_counter) return false;
  if (frame->known != (registers->known | (is_exact ? exact_mark : 0))) return false;
  for (unsigned place = 0; place < stallwatch_trail_registers; place++) {
    bool is_known = registers->known >> columns[place] & 1;
    if (is_known && frame->preserved[place] != registers->value[columns[place]]) return false;
  }
  return true;
}

/// Whether the words from one on are still the same. Notes the first that is not.
static bool are_unchanged(trail_use *use, uint32_t first, const stallwatch_stack_copy *stack, size_t *needed) {
  const stallwatch_trail *trail = use->trail;
  size_t farthest = *needed;
  for (uint32_t place = first; place < trail->word_count; place++) {
    uint64_t offset = trail->words[place].address - stack->start, word;
    use->unchanged = place + 1;
    if (offset > stack->length || stack->length - offset < sizeof word) return false;
    memcpy(&word, stack->bytes + offset, sizeof word);
    if (word != trail->words[place].value) return false;
    if (farthest < offset + sizeof word) farthest = offset + sizeof word;
  }
  *needed = farthest;
  return true;
}

/// Takes over the calls that were noted from a frame of the trail on, which is the last frame of the walk.
static void take_calls(const stallwatch_trail *trail, uint32_t first, stallwatch_walk *walk) {
  for (uint32_t i = 0; i < trail->call_count && walk->call_count < stallwatch_maximum_noted_calls; i++) {
    if (trail->calls[i].frame < first) continue;
    stallwatch_noted_call *call = &walk->calls[walk->call_count++];
    *call = trail->calls[i];
    call->frame = call->frame - first + walk->count - 1;
  }
}

bool meet_trail(trail_use *use, const stallwatch_registers *registers, bool is_exact, const stallwatch_stack_copy *stack,
                stallwatch_walk *walk, size_t *needed) {
  stallwatch_trail *trail = use->trail;
  if (trail == NULL) return false;
  if (walk->count == 1) use->is_blocked = registers->known == only_stack_pointer;
  if (use->leaves) {
    if (trail->frame_count == stallwatch_maximum_frames) use->is_spoilt = true;
    else note_frame(trail, registers, is_exact);
    return false;
  }
  uint64_t stack_pointer = registers->value[register_sp];
  while (use->next < trail->frame_count && trail->frames[use->next].stack_pointer < stack_pointer) use->next++;
  if (use->next == trail->frame_count) return false;
  const stallwatch_trail_frame *frame = &trail->frames[use->next];
  uint32_t rest = trail->frame_count - use->next - 1;
  if (frame->stack_pointer != stack_pointer || frame->first_word < use->unchanged || !is_at(frame, registers, is_exact))
    return false;
  if (walk->cut > 0 || walk->count + rest > stallwatch_maximum_frames) return false;
  if (!are_unchanged(use, frame->first_word, stack, needed)) return false;
  take_calls(trail, use->next, walk);
  for (uint32_t place = 1; place <= rest; place++) walk->frames[walk->count++] = frame[place].program_counter;
  uint32_t detour = walk->count - rest - 1;
  // A blocked thread is likely to be found in the same place again, so its trail begins there.
  if (detour > (use->is_blocked ? 0 : longest_detour)) trail->frame_count = 0;
  walk->ending = trail->ending;
  return true;
}

void end_trail(trail_use *use, const stallwatch_walk *walk, bool met) {
  if (use->trail == NULL || met) return;
  bool is_whole = walk->ending == stallwatch_walk_complete || walk->ending == stallwatch_walk_lost;
  // After a walk that did not come back, the next walk leaves a new trail.
  if (!use->leaves || use->is_spoilt || !is_whole || walk->cut > 0) use->trail->frame_count = 0;
  use->trail->ending = walk->ending;
  memcpy(use->trail->calls, walk->calls, sizeof walk->calls);
  use->trail->call_count = walk->call_count;
  use->trail->needed = walk->needed;
}

bool stallwatch_is_on_trail(stallwatch_trail *trail, uint64_t program_counter, uint64_t stack_pointer, uint8_t *copy,
                            size_t room) {
  if (trail->frame_count == 0 || trail->generation != generation || trail->needed > room) return false;
  const stallwatch_registers registers = stallwatch_registers_at(program_counter, stack_pointer);
  if (trail->frames[0].stack_pointer != stack_pointer || !is_at(&trail->frames[0], &registers, true)) return false;
  stallwatch_stack_copy stack = {.start = stack_pointer, .bytes = copy};
  stack.length = stallwatch_copy_memory(stack_pointer, copy, trail->needed);
  trail_use use = {.trail = trail};
  size_t needed = 0;
  return are_unchanged(&use, 0, &stack, &needed);
}
#endif
