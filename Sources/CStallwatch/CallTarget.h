#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Whether an address may lie in the function that begins at another one: where one without tables ends is not known.
static inline bool may_lie_in(uint64_t address, uint64_t function) {
  enum { longest_function = 4096 };
  return address >= function && address - function < longest_function;
}

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
/// it is the called one. One that begins a little before the program counter is taken for it. Reads the code.
call_kind judge_call(uint64_t return_address, uint64_t program_counter, uint64_t *function);
