#pragma once
#include <stdbool.h>
#include <stdint.h>

// Frame records: a saved frame pointer with the return address above it, in functions that keep them.

/// Whether the instruction before `address` is a call.
bool follows_call(uint64_t address);

/// Finds a function's frame record from its first instructions. `function` is its first address, and
/// `stack_pointer` the stack pointer in the middle of the function, at a call. False unless compilers begin
/// functions with such instructions.
bool find_record_by_prologue(uint64_t function, uint64_t stack_pointer, uint64_t *record);

/// The stack pointer of the caller of a function without a frame record, by its first instructions. `stack_pointer` as
/// above; `place` is where its return address lies.
uint64_t find_caller_stack_pointer(uint64_t function, uint64_t stack_pointer, uint64_t place);

/// Whether the instruction at `program_counter` is one before which such a function has no frame record yet, or after which
/// it has none any more: the frame pointer is its caller's there. `pushed` is how many bytes it has on the stack by then.
bool stands_at_edge(uint64_t program_counter, uint64_t *pushed);
