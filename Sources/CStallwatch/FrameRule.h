#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "StackWalk.h"

// How the caller's registers follow from a function's, at one program counter: a row of the unwind tables.

#if defined(__aarch64__)
enum { register_async_context = 22, register_fp = 29, register_lr = 30, register_sp = 31 };
#else
enum { register_fp = 6, register_sp = 7, register_async_context = 14, register_pc = 16 };
#endif

typedef enum {
  rule_same,              // unchanged
  rule_unknown,           // lost; for the return address: there is no caller
  rule_at_offset,         // in memory at CFA + value
  rule_offset,            // CFA + value
  rule_register,          // in the register `value`
  rule_at_expression,     // in memory at the value of the expression at address `value`
  rule_expression,        // the value of the expression at address `value`
} rule_kind;

typedef struct {
  rule_kind kind;
  int64_t value;
} register_rule;

enum { longest_expression = 64, rule_columns = stallwatch_register_count + 1 };

typedef struct {
  uint64_t program_counter;
  /// The function's first address; 0 when it has no tables.
  uint64_t function;
  /// How many bytes it has.
  uint64_t function_size;
  /// The addresses from the first to before the second have the same rule.
  uint64_t row_start, row_end;
  /// Whether the row holds a rule; false: there are no tables, or none that could be read.
  bool is_known;
  /// Whether the function is a signal handler's return: its caller's address is where the signal came.
  bool is_signal_frame;
  /// CFA = register + offset; or the expression at address `cfa.value`.
  bool cfa_is_expression;
  uint32_t cfa_register;
  register_rule cfa;
  uint32_t return_column;
  register_rule rules[rule_columns];
} frame_rule;

/// Reads the rule for `program_counter` from the tables whose .eh_frame_hdr is at `tables`.
frame_rule read_frame_rule(uint64_t program_counter, uint64_t tables);

/// Both halves of that: the address of the function's entry (its FDE), 0 when it has none, and the rule in an entry, as
/// long as the program counter lies in its function.
uint64_t find_frame_entry(uint64_t program_counter, uint64_t tables);
frame_rule read_frame_rule_in(uint64_t program_counter, uint64_t entry);

/// Evaluates the DWARF expression at `address` (its length in LEB128 first), with `first` on its stack if
/// `has_first`. Reads memory through `read_word`.
bool evaluate_expression(uint64_t address, const stallwatch_registers *registers, bool has_first, uint64_t first,
                         bool (*read_word)(void *context, uint64_t address, uint64_t *word), void *context,
                         uint64_t *result);
