#pragma once
#include <stdint.h>

typedef enum {
  /// Of another function.
  call_elsewhere,
  /// Through a register or a word that may have changed since: of any function.
  call_of_unknown,
  /// Of the function in question.
  call_of_function,
} call_kind;

/// What the call before a return address calls, seen from a function in which a program counter lies: directly, through
/// the linkage table, or by a function that does nothing but jump there. Sets `function` to where that one begins, if
/// it is the called one. Where a function without tables ends is not known, so one that begins a little before the
/// program counter is taken for it. Reads the code.
call_kind judge_call(uint64_t return_address, uint64_t program_counter, uint64_t *function);
