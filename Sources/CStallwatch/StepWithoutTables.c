#ifdef __linux__
#include "StepWithoutTables.h"

#include "CallTarget.h"

enum {
  /// How many bytes above the stack pointer to search for a frame of unknown place. Frames of calls that have
  /// returned lie there too, more of them farther up.
  farthest_search = 4096,
  /// The same for the return address of a function without tables: compilers leave them out for small functions.
  farthest_call = 512,
};

/// Finds a function's frame record by its prologue, where the stack pointer is known; false if there is none.
static bool find_record(known_rule *known, uint64_t stack_pointer, uint64_t *record) {
  if (known->rule.function == 0) return false;
  if (known->prologue == prologue_unread) {
    bool is_found = find_record_by_prologue(known->rule.function, 0, &known->record_offset);
    known->prologue = is_found ? prologue_with_record : prologue_without_record;
  }
  *record = stack_pointer + known->record_offset;
  return known->prologue == prologue_with_record;
}

/// Steps to the caller by the frame record at `record`, if it is one.
static bool step_by_record(walk_state *state, uint64_t record) {
  uint64_t saved, return_address;
  if (record < state->registers.value[register_sp] || record % 8 != 0) return false;
  if (!read_stack(state, record, &saved) || !read_stack(state, record + 8, &return_address)) return false;
  return_address = plain_address(return_address);
  if (!is_return_address(state, return_address)) return false;
  stallwatch_registers caller = stallwatch_registers_at(return_address, record + 16);
  caller.value[register_fp] = saved;
  caller.known |= (uint64_t)1 << register_fp;
#if defined(__aarch64__)
  // There a record lies below the rest of its frame: the caller's memory begins somewhere above it.
  caller.known &= ~((uint64_t)1 << register_sp);
#endif
  state->registers = caller;
  state->is_exact = false;
  return true;
}

/// To the caller of a function without tables that has no frame record where the thread stands: at its beginning or
/// end.
static bool step_at_edge(walk_state *state) {
  const stallwatch_registers *registers = &state->registers;
  uint64_t pushed, return_address;
  if (!(registers->known >> register_sp & 1) || !stands_at_edge(registers->program_counter, &pushed)) return false;
  uint64_t above = registers->value[register_sp] + pushed;
#if defined(__aarch64__)
  if (!(registers->known >> register_lr & 1)) return false;
  return_address = registers->value[register_lr];
#else
  if (!read_stack(state, above, &return_address)) return false;
  above += 8;
#endif
  return_address = plain_address(return_address);
  if (!is_return_address(state, return_address)) return false;
  stallwatch_registers caller = stallwatch_registers_at(return_address, above);
  caller.value[register_fp] = registers->value[register_fp];
  caller.known |= registers->known & (uint64_t)1 << register_fp;
  state->registers = caller;
  state->is_exact = false;
  return true;
}

/// Whether the frame record at `record` is that of the function where the walk is: its return address follows a call of
/// it.
static bool is_own_record(walk_state *state, uint64_t record) {
  uint64_t word, function;
  return read_stack(state, record + 8, &word) && is_return_address(state, plain_address(word)) &&
         judge_call(plain_address(word), state->registers.program_counter - !state->is_exact, &function) == call_of_function;
}

/// To the caller whose return address lies at `place`, from a function without a frame record; `function`: where that
/// one begins, 0: not known.
static void step_by_word(walk_state *state, uint64_t place, uint64_t word, uint64_t function) {
  const stallwatch_registers *registers = &state->registers;
  uint64_t above = find_caller_stack_pointer(function, registers->value[register_sp], place);
  stallwatch_registers caller = stallwatch_registers_at(word, above);
  uint64_t pointer = registers->value[register_fp];
  if (registers->known >> register_fp & 1 && pointer > place) {
    caller.value[register_fp] = pointer;
    caller.known |= (uint64_t)1 << register_fp;
  }
  state->registers = caller;
  state->is_exact = false;
}

#if defined(__aarch64__)
enum { return_address_alignment = 8 };
/// Without the function's first instructions, nothing tells where its caller's frame begins.
enum { finds_unknown = false };
#else
/// The stack is aligned to 16 bytes before a call, which pushes 8.
enum { return_address_alignment = 16 };
enum { finds_unknown = true };
#endif

/// Whether no function with tables lies between a function's beginning and a program counter without tables.
static bool is_without_tables(walk_state *state, uint64_t function, uint64_t program_counter) {
  const stallwatch_code_range *range = find_code(&state->code, program_counter);
  if (range == NULL || range->tables == 0) return true;
  // The entry before both.
  uint64_t entry = find_frame_entry(program_counter, range->tables);
  return find_frame_entry(function, range->tables) == entry && !read_frame_rule_in(function, entry).is_known;
}

/// To the caller of a function without tables and without a frame record, by its return address: the nearest word on
/// the stack that follows a call of this function, or else of one that is not known. A frame record farther up is of a
/// function beyond, whose callee would be passed over.
static bool step_by_call(walk_state *state) {
  const stallwatch_registers *registers = &state->registers;
  if (!(registers->known >> register_sp & 1)) return false;
  uint64_t start = (registers->value[register_sp] + 7) & ~(uint64_t)7, end = start + farthest_call;
  uint64_t pointer = registers->known >> register_fp & 1 ? registers->value[register_fp] : 0;
  // The record's own return address is left to it.
  if (pointer >= start && pointer + 8 < end) end = pointer + 8;
  uint64_t counter = registers->program_counter - !state->is_exact, word, function, likely_place = 0, likely = 0;
  for (uint64_t place = start; place < end && read_stack(state, place, &word); place += 8) {
    if ((place + 8) % return_address_alignment != 0) continue;
    word = plain_address(word);
    if (find_code(&state->code, word - 1) == NULL || !is_return_address(state, word)) continue;
    call_kind kind = judge_call(word, counter, &function);
    if (kind == call_of_unknown && likely == 0 && finds_unknown) {
      likely_place = place;
      likely = word;
    }
    if (kind != call_of_function || !is_without_tables(state, function, counter)) continue;
    // The one called is that of the nearer call, a neighbour of the function which it calls by a pointer.
    if (may_lie_in(likely, function)) break;
    uint64_t ignored;
    // It keeps a record, which is surer: what is below that may be left from calls that have returned.
    if (find_record_by_prologue(function, 0, &ignored)) return false;
    step_by_word(state, place, word, function);
    return true;
  }
  if (likely == 0 || (pointer >= start && is_own_record(state, pointer))) return false;
  step_by_word(state, likely_place, likely, 0);
  return true;
}

/// Whether `record` looks like one of a chain: it points up to another record.
static bool is_linked_record(walk_state *state, uint64_t record) {
  uint64_t saved, above;
  return read_stack(state, record, &saved) && saved > record && saved % 16 == 0 &&
         read_stack(state, saved + 8, &above) && is_return_address(state, plain_address(above));
}

/// Steps to the caller of a function that keeps a frame record while its frame pointer is not known.
static bool step_by_search(walk_state *state, known_rule *known) {
  uint64_t start = state->registers.value[register_sp], record;
  bool knows_start = state->registers.known >> register_sp & 1;
  if (knows_start && find_record(known, start, &record) && step_by_record(state, record)) return true;
  start = (start + 7) & ~(uint64_t)7;
  for (record = start; record < start + farthest_search; record += 8) {
    uint64_t word;
    if (!read_stack(state, record + 8, &word)) return false;
    if (find_code(&state->code, plain_address(word) - 1) == NULL) continue;
    if (is_linked_record(state, record) && step_by_record(state, record)) return true;
  }
  return false;
}

bool step_without_tables(walk_state *state, known_rule *known) {
  bool is_leaf = state->is_exact, has_tables = known->rule.is_known;
  bool knows_fp = state->registers.known >> register_fp & 1;
  return (is_leaf && !has_tables && step_at_edge(state)) || (!has_tables && step_by_call(state)) ||
         (knows_fp && step_by_record(state, state->registers.value[register_fp])) ||
         ((!knows_fp || !is_leaf) && step_by_search(state, known));
}
#endif
