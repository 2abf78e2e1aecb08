#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CodeMap.h"
#include "FrameRecord.h"
#include "FrameRule.h"
#include "StackTrail.h"
#include "StackWalk.h"

// A walk in progress, and what a walker remembers of earlier ones.

enum {
  remembered_rules = 512,
  remembered_functions = 64,
  remembered_calls = 256,
  remembered_rows = 16,
};

/// Where the tables' entry of a function lies. A thread that runs stands elsewhere at each look, but often in the same
/// functions, and looking for their entries takes longer than reading them.
typedef struct {
  uint64_t start, size, entry;
} known_function;

/// Whether the code before an address in an image is a call: to ask the code itself takes a system call.
typedef struct {
  uint64_t address;
  bool follows_call;
} known_call;

/// A rule, and where by its function's prologue the frame record lies, once that was asked for.
typedef struct {
  frame_rule rule;
  enum { prologue_unread, prologue_without_record, prologue_with_record } prologue;
  /// How far the record lies above the stack pointer.
  uint64_t record_offset;
} known_rule;

/// Addresses with one rule.
typedef struct {
  uint64_t start, end;
} rule_row;

struct stallwatch_walker {
  known_rule rules[remembered_rules];
  /// Rules of where threads stood. A thread that runs stands elsewhere in a function at each look, but mostly where the
  /// same rule holds.
  rule_row rows[remembered_rows];
  known_rule row_rules[remembered_rows];
  /// The row to be forgotten for the next one.
  unsigned oldest_row;
  known_call calls[remembered_calls];
  known_function functions[remembered_functions];
  /// The function to be forgotten for the next one.
  unsigned oldest;
};

/// A walk in progress.
typedef struct {
  stallwatch_walker *walker;
  /// If the stack pointer is not known, its value is the lowest possible one.
  stallwatch_registers registers;
  stallwatch_stack_copy stack;
  stallwatch_code_map code;
  /// Whether the program counter is where the thread stands, not a return address.
  bool is_exact;
  stallwatch_walk_ending ending;
  trail_use trail;
  /// Where the farthest word ends that was read, from the copy's start on.
  size_t needed;
  stallwatch_walk *walk;
} walk_state;

/// Reads a word of the stack; false where that was not copied. `context` is the walk.
bool read_stack(void *context, uint64_t address, uint64_t *word);
/// Whether an address follows a call.
bool is_return_address(walk_state *state, uint64_t address);
