#pragma once
#include <stdbool.h>
#include <stdint.h>

// Frame records: a saved frame pointer with the return address above it, where a function keeps them.

/// Whether the instruction before `address` is a call.
bool follows_call(uint64_t address);

/// Finds where a function keeps its frame record, from its first instructions: `function` is its first address, and
/// `stack_pointer` what it is in the middle of the function, at a call. False when the instructions are not those
/// that compilers begin such a function with.
bool find_record_by_prologue(uint64_t function, uint64_t stack_pointer, uint64_t *record);
