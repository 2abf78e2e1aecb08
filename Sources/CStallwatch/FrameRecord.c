#ifdef __linux__
#include "FrameRecord.h"

#include <stddef.h>
#include <string.h>

#include "SafeMemory.h"

enum { longest_prologue = 64 };

#if defined(__aarch64__)

bool follows_call(uint64_t address) {
  uint32_t instruction;
  if (stallwatch_copy_memory(address - 4, &instruction, 4) != 4) return false;
  return (instruction & 0xfc000000) == 0x94000000 ||   // bl
         (instruction & 0xfffffc1f) == 0xd63f0000 ||   // blr
         (instruction & 0xfefff800) == 0xd63f0800;     // blraa, blrab and their kin
}

/// What a function's first instructions do: how far the stack pointer comes down, and how far below its start x29 is
/// set.
typedef struct {
  int64_t down, record_down;
  bool has_record;
} prologue;

static prologue read_prologue(uint64_t function) {
  uint32_t code[longest_prologue / 4];
  size_t count = stallwatch_copy_memory(function, code, sizeof code) / 4;
  prologue found = {0, 0, false};
  for (size_t i = 0; i < count; i++) {
    uint32_t word = code[i];
    if ((word & 0xff8003ff) == 0xd10003ff) {  // sub sp, sp, #n
      found.down += (int64_t)((word >> 10) & 0xfff) << ((word >> 22) & 1 ? 12 : 0);
    } else if ((word & 0xffc003e0) == 0xa98003e0 || (word & 0xffc003e0) == 0x6d8003e0) {  // stp a, b, [sp, #-n]!
      found.down -= (int64_t)((int32_t)(word << 10) >> 25) * 8;
    } else if ((word & 0xffe00fe0) == 0xf8000fe0) {  // str a, [sp, #-n]!
      found.down -= (int64_t)((int32_t)(word << 11) >> 23);
    } else if ((word & 0xff8003ff) == 0x910003fd) {  // add x29, sp, #n
      found.record_down = found.down - ((int64_t)((word >> 10) & 0xfff) << ((word >> 22) & 1 ? 12 : 0));
      found.has_record = true;
    } else if ((word & 0xfc000000) == 0x94000000 || (word & 0xfe000000) == 0xd6000000) {
      break;  // A branch: the prologue is over.
    }
  }
  return found;
}

bool find_record_by_prologue(uint64_t function, uint64_t stack_pointer, uint64_t *record) {
  prologue found = read_prologue(function);
  *record = stack_pointer + (uint64_t)(found.down - found.record_down);
  return found.has_record;
}

uint64_t find_caller_stack_pointer(uint64_t function, uint64_t stack_pointer, uint64_t place) {
  uint64_t above = stack_pointer + (uint64_t)read_prologue(function).down;
  return above > place ? above : place + 8;
}

bool stands_at_edge(uint64_t program_counter, uint64_t *pushed) {
  uint32_t code[2];  // The instruction before, and the one at which the thread stands.
  if (stallwatch_copy_memory(program_counter - 4, code, sizeof code) != sizeof code) return false;
  enum { pushes_record = 0xa9807bfd, parts_of_push = 0xffc07fff };  // stp x29, x30, [sp, #-n]!
  *pushed = 0;
  if (code[1] == 0xd65f03c0 || (code[1] & parts_of_push) == pushes_record) return true;  // ret
  if ((code[1] & 0xff8003ff) != 0x910003fd || (code[0] & parts_of_push) != pushes_record) return false;  // add x29, sp, #n
  *pushed = (uint64_t)-((int64_t)((int32_t)(code[0] << 10) >> 25) * 8);
  return true;
}

#else

bool follows_call(uint64_t address) {
  uint8_t code[7];
  if (stallwatch_copy_memory(address - sizeof code, code, sizeof code) != sizeof code) return false;
  if (code[2] == 0xe8) return true;  // call to a relative address
  // call through a register or memory: ff /2, with two to seven bytes depending on its addressing mode
  static const struct { uint8_t at, length; } forms[] = {{5, 2}, {4, 3}, {3, 4}, {1, 6}, {0, 7}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const uint8_t *at = code + forms[i].at;
    if (at[0] != 0xff || ((at[1] >> 3) & 7) != 2) continue;
    uint8_t mode = at[1] >> 6, base = at[1] & 7;
    bool has_sib = mode != 3 && base == 4;
    // A form too short for its own addressing bytes is the end of another instruction.
    if (has_sib && forms[i].length < 3) continue;
    unsigned length = 2 + has_sib;
    if (mode == 1) length += 1;
    if (mode == 2 || (mode == 0 && base == 5) || (mode == 0 && has_sib && (at[2] & 7) == 5)) length += 4;
    if (length == forms[i].length) return true;
  }
  return false;
}

bool find_record_by_prologue(uint64_t function, uint64_t stack_pointer, uint64_t *record) {
  uint8_t code[longest_prologue];
  size_t count = stallwatch_copy_memory(function, code, sizeof code), at = 0;
  static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};     // endbr64
  static const uint8_t opening[] = {0x55, 0x48, 0x89, 0xe5};     // push %rbp; mov %rsp, %rbp
  if (count >= 4 && memcmp(code, landing, 4) == 0) at += 4;
  if (at + 4 > count || memcmp(code + at, opening, 4) != 0) return false;
  at += 4;
  // Then the prologue pushes the saved registers and makes room for the rest.
  uint64_t below = 0;
  while (at + 8 <= count) {
    if ((code[at] & 0xf8) == 0x50) {
      below += 8, at += 1;
    } else if (code[at] == 0x41 && (code[at + 1] & 0xf8) == 0x50) {
      below += 8, at += 2;
    } else if (code[at] == 0x48 && code[at + 1] == 0x83 && code[at + 2] == 0xec) {
      below += code[at + 3];
      break;
    } else if (code[at] == 0x48 && code[at + 1] == 0x81 && code[at + 2] == 0xec) {
      uint32_t room;
      memcpy(&room, code + at + 3, 4);
      below += room;
      break;
    } else {
      break;
    }
  }
  *record = stack_pointer + below;
  return true;
}

uint64_t find_caller_stack_pointer(uint64_t function, uint64_t stack_pointer, uint64_t place) {
  (void)function, (void)stack_pointer;
  return place + 8;
}

bool stands_at_edge(uint64_t program_counter, uint64_t *pushed) {
  uint8_t code[9];  // The byte before, and those at which the thread stands.
  size_t count = stallwatch_copy_memory(program_counter - 1, code, sizeof code);
  if (count < 2) return false;
  *pushed = 0;
  if (code[1] == 0xc3) return true;  // ret
  static const uint8_t beginning[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5};  // endbr64; push %rbp; mov %rsp, %rbp
  if (count >= 9 && memcmp(code + 1, beginning, 8) == 0) return true;
  if (count >= 5 && memcmp(code + 1, beginning + 4, 4) == 0) return true;
  *pushed = 8;
  return count >= 4 && memcmp(code, beginning + 4, 4) == 0;
}

#endif
#endif
