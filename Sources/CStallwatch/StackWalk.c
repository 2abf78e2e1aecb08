#ifdef __linux__
#include "StackWalk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "FrameRule.h"
#include "StepWithoutTables.h"

/// The most frames that are counted.
enum { most_frames = 1 << 16 };

// Pages of its own, which are zero until something is remembered there: calloc would write all of them.
stallwatch_walker *stallwatch_walker_create(void) {
  void *memory = mmap(NULL, sizeof(stallwatch_walker), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void stallwatch_walker_destroy(stallwatch_walker *walker) { munmap(walker, sizeof *walker); }

void stallwatch_walker_forget(stallwatch_walker *walker) {
  if (madvise(walker, sizeof *walker, MADV_DONTNEED) != 0) memset(walker, 0, sizeof *walker);
  end_all_trails();
}

stallwatch_registers stallwatch_registers_at(uint64_t program_counter, uint64_t stack_pointer) {
  stallwatch_registers registers = {.program_counter = program_counter, .known = (uint64_t)1 << register_sp};
  registers.value[register_sp] = stack_pointer;
  return registers;
}

bool read_stack(void *context, uint64_t address, uint64_t *word) {
  walk_state *state = context;
  uint64_t offset = address - state->stack.start;
  if (address < state->stack.start || offset > state->stack.length || state->stack.length - offset < 8) {
    // Addresses above the copy may be stack that was not copied; those below it are not stack.
    if (address >= state->stack.start) state->ending = stallwatch_walk_beyond_copy;
    note_trail_word(&state->trail, address, 0, false);
    return false;
  }
  memcpy(word, state->stack.bytes + offset, 8);
  note_trail_word(&state->trail, address, *word, true);
  if (state->needed < offset + 8) state->needed = offset + 8;
  return true;
}

bool is_return_address(walk_state *state, uint64_t address) {
  const stallwatch_code_range *range = find_code(&state->code, address - 1);
  if (range == NULL) return false;
  // Code without tables may be a compiler's at run time, which writes it anew.
  if (range->tables == 0) {
    state->trail.is_spoilt = true;
    return follows_call(address);
  }
  known_call *kept = &state->walker->calls[(address ^ address >> 8) % remembered_calls];
  if (kept->address != address) *kept = (known_call){address, follows_call(address)};
  return kept->follows_call;
}

static frame_rule read_rule(stallwatch_walker *walker, uint64_t address, uint64_t tables) {
  for (size_t i = 0; i < remembered_functions; i++) {
    const known_function *known = &walker->functions[i];
    if (address - known->start < known->size) return read_frame_rule_in(address, known->entry);
  }
  uint64_t entry = tables != 0 ? find_frame_entry(address, tables) : 0;
  frame_rule rule = read_frame_rule_in(address, entry);
  if (rule.function != 0) {
    walker->functions[walker->oldest] = (known_function){rule.function, rule.function_size, entry};
    walker->oldest = (walker->oldest + 1) % remembered_functions;
  }
  return rule;
}

static known_rule *find_row(stallwatch_walker *walker, uint64_t address) {
  for (size_t i = 0; i < remembered_rows; i++) {
    const rule_row *row = &walker->rows[i];
    if (row->start <= address && address < row->end) return &walker->row_rules[i];
  }
  return NULL;
}

static known_rule *find_rule(walk_state *state) {
  stallwatch_walker *walker = state->walker;
  uint64_t address = state->registers.program_counter - (state->is_exact ? 0 : 1);
  known_rule *kept = &walker->rules[(address ^ address >> 9) % remembered_rules];
  if (kept->rule.program_counter == address) return kept;
  known_rule *row = state->is_exact ? find_row(walker, address) : NULL;
  if (row != NULL) return row;
  const stallwatch_code_range *range = find_code(&state->code, address);
  kept->rule = read_rule(walker, address, range != NULL ? range->tables : 0);
  kept->prologue = prologue_unread;
  if (state->is_exact && kept->rule.is_known) {
    unsigned place = walker->oldest_row;
    uint64_t end = kept->rule.function + kept->rule.function_size;
    walker->rows[place] = (rule_row){kept->rule.row_start, kept->rule.row_end < end ? kept->rule.row_end : end};
    walker->row_rules[place] = *kept;
    walker->oldest_row = (place + 1) % remembered_rows;
  }
  return kept;
}

/// Whether the code where the thread stands has no tables: it may be a compiler's at run time, which writes it anew.
static bool is_bare_code(const walk_state *state) {
  const stallwatch_code_range *range = find_code(&state->code, state->registers.program_counter - !state->is_exact);
  return range == NULL || range->tables == 0;
}

/// Computes one register of the caller; false when it is lost.
static bool apply_rule(walk_state *state, unsigned column, register_rule rule, uint64_t cfa, uint64_t *value) {
  const stallwatch_registers *registers = &state->registers;
  uint64_t address;
  switch (rule.kind) {
    case rule_same:
      *value = column < stallwatch_register_count ? registers->value[column] : 0;
      return column < stallwatch_register_count && (registers->known >> column & 1);
    case rule_unknown: return false;
    case rule_at_offset: return read_stack(state, cfa + (uint64_t)rule.value, value);
    case rule_offset: *value = cfa + (uint64_t)rule.value; return true;
    case rule_register:
      if (rule.value < 0 || rule.value >= stallwatch_register_count) return false;
      *value = registers->value[rule.value];
      return registers->known >> rule.value & 1;
    case rule_at_expression:
      return evaluate_expression((uint64_t)rule.value, registers, true, cfa, read_stack, state, &address) &&
             read_stack(state, address, value);
    case rule_expression:
      return evaluate_expression((uint64_t)rule.value, registers, true, cfa, read_stack, state, value);
  }
  return false;
}

/// The registers that a function preserves. Without a rule for it, only such a register is the caller's.
static uint64_t preserved_registers(void) {
#if defined(__aarch64__)
  return (uint64_t)0x7ff << 19;  // x19…x28 and x29
#else
  return 1u << 3 | 1u << 6 | 0xfu << 12;  // rbx, rbp, r12…r15
#endif
}

typedef enum { step_done, step_impossible, step_outermost } step_result;

/// Steps to the caller by unwind tables.
static step_result step_by_rule(walk_state *state, const frame_rule *rule) {
  const stallwatch_registers *registers = &state->registers;
  register_rule return_rule = rule->rules[rule->return_column];
  if (return_rule.kind == rule_unknown) return step_outermost;
  uint64_t cfa;
  if (rule->cfa_is_expression) {
    if (!evaluate_expression((uint64_t)rule->cfa.value, registers, false, 0, read_stack, state, &cfa))
      return step_impossible;
  } else {
    if (rule->cfa_register >= stallwatch_register_count || !(registers->known >> rule->cfa_register & 1))
      return step_impossible;
    cfa = registers->value[rule->cfa_register] + (uint64_t)rule->cfa.value;
  }
  // A frame lies above its callee's. Only a function that has pushed nothing yet shares its callee's place.
  uint64_t stack_pointer = registers->value[register_sp];
  if (!rule->is_signal_frame && (cfa < stack_pointer || (cfa == stack_pointer && !state->is_exact)))
    return step_impossible;

  uint64_t return_address;
  if (!apply_rule(state, rule->return_column, return_rule, cfa, &return_address)) return step_impossible;
  stallwatch_registers caller = {.program_counter = plain_address(return_address)};
  for (unsigned column = 0; column < stallwatch_register_count; column++) {
    register_rule own = rule->rules[column];
    if (own.kind == rule_same && !(preserved_registers() >> column & 1)) continue;
    if (apply_rule(state, column, own, cfa, &caller.value[column])) caller.known |= (uint64_t)1 << column;
  }
  if (rule->rules[register_sp].kind == rule_same) {
    caller.value[register_sp] = cfa;
    caller.known |= (uint64_t)1 << register_sp;
  }
  state->registers = caller;
  state->is_exact = rule->is_signal_frame;
  return step_done;
}

/// Notes who called the function at the last frame of the walk if it is the noted code. `context`: what was in the
/// function's register for it.
static void note_call(walk_state *state, uint64_t function, uint64_t context) {
  stallwatch_walk *walk = state->walk;
  uint64_t place = state->registers.program_counter - 1 - state->code.noted_start;
  if (place >= state->code.noted_end - state->code.noted_start) return;
  if (walk->cut > 0 || walk->call_count == stallwatch_maximum_noted_calls) return;
  stallwatch_noted_call *call = &walk->calls[walk->call_count++];
  *call = (stallwatch_noted_call){.frame = walk->count - 1, .function = function, .register_context = context};
#if defined(__x86_64__)
  // Below the return address and the caller's frame pointer.
  uint64_t kept = state->registers.value[register_sp] - 24;
  bool knows_place = state->registers.known >> register_sp & 1;
  if (knows_place && kept >= state->stack.start && kept - state->stack.start + 8 <= state->stack.length)
    read_stack(state, kept, &call->kept_context);
#endif
}

/// Steps to the caller; false at the end.
static bool step(walk_state *state) {
  known_rule *known = find_rule(state);
  const frame_rule *rule = &known->rule;
  uint64_t before = state->registers.value[register_sp];
  bool is_signal_frame = rule->is_signal_frame;
  bool knows_context = state->registers.known >> register_async_context & 1;
  uint64_t context = knows_context ? state->registers.value[register_async_context] : 0, function = rule->function;
  state->ending = stallwatch_walk_lost;
  if (!rule->is_known && is_bare_code(state)) state->trail.is_spoilt = true;
  step_result result = rule->is_known ? step_by_rule(state, rule) : step_impossible;
  if (result == step_outermost) {
    state->ending = stallwatch_walk_complete;
    return false;
  }
  if (result == step_impossible) {
    if (state->ending == stallwatch_walk_beyond_copy) return false;
    if (!step_without_tables(state, known)) return false;
  }
  // Even if it is not known exactly, its lower bound is.
  uint64_t after = state->registers.value[register_sp];
  if (after == 0 || (!is_signal_frame && after < before)) return false;
  if (state->registers.program_counter == 0) {
    state->ending = stallwatch_walk_complete;
    return false;
  }
  if (find_code(&state->code, state->registers.program_counter - (state->is_exact ? 0 : 1)) == NULL) {
    state->ending = stallwatch_walk_unknown_code;
    return false;
  }
  note_call(state, function, context);
  return true;
}

void stallwatch_walk_stack(stallwatch_walker *walker, const stallwatch_registers *registers,
                           stallwatch_stack_copy stack, stallwatch_code_map code, stallwatch_trail *trail,
                           stallwatch_walk *walk) {
  walk_state state = {
    .walker = walker, .registers = *registers, .stack = stack, .code = code, .is_exact = true,
    .ending = stallwatch_walk_unknown_code, .trail = begin_trail(trail), .walk = walk,
  };
  walk->frames[0] = registers->program_counter;
  walk->count = 1;
  walk->cut = walk->call_count = 0;
  bool met = false;
  if (find_code(&code, registers->program_counter) != NULL) {
    while (walk->count + walk->cut < most_frames) {
      met = meet_trail(&state.trail, &state.registers, state.is_exact, &stack, walk, &state.needed);
      if (met || !step(&state)) break;
      if (walk->count < stallwatch_maximum_frames) walk->frames[walk->count++] = state.registers.program_counter;
      else walk->cut++;
    }
  }
  if (!met) walk->ending = state.ending;
  walk->needed = state.needed;
  end_trail(&state.trail, walk, met);
}
#endif
