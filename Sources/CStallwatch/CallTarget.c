#ifdef __linux__
#include "CallTarget.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "SafeMemory.h"

/// The most jumps from a call to the function: one by the linkage table, and one or two of functions that only jump on.
enum { most_jumps = 3 };

static bool read_word(uint64_t address, uint64_t *word) { return stallwatch_copy_memory(address, word, 8) == 8; }

#if defined(__aarch64__)

/// Where a branch with an offset of 26 bits leads.
static uint64_t branch_target(uint64_t address, uint32_t instruction) {
  return address + (uint64_t)((int64_t)((int32_t)(instruction << 6) >> 6) * 4);
}

static bool find_target(uint64_t return_address, uint64_t *target) {
  uint32_t call;
  if (stallwatch_copy_memory(return_address - 4, &call, 4) != 4) return false;
  if ((call & 0xfc000000) != 0x94000000) return false;  // bl
  *target = branch_target(return_address - 4, call);
  return true;
}

static bool follow_jump(uint64_t *at) {
  uint32_t code[3];
  if (stallwatch_copy_memory(*at, code, sizeof code) != sizeof code) return false;
  uint64_t place = *at;
  const uint32_t *first = code;
  if (*first == 0xd503245f) first++, place += 4;  // bti c
  if ((*first & 0xfc000000) == 0x14000000) {      // b
    *at = branch_target(place, *first);
    return true;
  }
  // adrp x16; ldr x17, [x16, #n]
  if ((first[0] & 0x9f00001f) != 0x90000010 || (first[1] & 0xffc003ff) != 0xf9400211) return false;
  int64_t pages = (int64_t)((int32_t)((first[0] >> 5 & 0x7ffff) << 13) >> 11) | (first[0] >> 29 & 3);
  return read_word((place & ~(uint64_t)4095) + (uint64_t)(pages * 4096) + (first[1] >> 10 & 0xfff) * 8, at);
}

#else

/// The address that stands at a distance from the end of an instruction, of which it is the last part.
static uint64_t relative(uint64_t end, const uint8_t *distance) {
  int32_t value;
  memcpy(&value, distance, 4);
  return end + (uint64_t)(int64_t)value;
}

static bool find_target(uint64_t return_address, uint64_t *target) {
  uint8_t code[6];
  if (stallwatch_copy_memory(return_address - 6, code, 6) != 6) return false;
  uint64_t place = relative(return_address, code + 2);
  if (code[0] == 0xff && code[1] == 0x15 && read_word(place, target)) return true;  // call *n(%rip)
  *target = place;
  return code[1] == 0xe8;  // call n
}

static bool follow_jump(uint64_t *at) {
  static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64
  uint8_t code[11] = {0};
  size_t count = stallwatch_copy_memory(*at, code, sizeof code), first = memcmp(code, landing, 4) == 0 ? 4 : 0;
  if (code[first] == 0xf2) first++;  // bnd
  if (code[first] == 0xeb && first + 2 <= count) {  // jmp n, near
    *at += first + 2 + (uint64_t)(int64_t)(int8_t)code[first + 1];
    return true;
  }
  bool is_by_word = code[first] == 0xff && code[first + 1] == 0x25;  // jmp *n(%rip)
  if (!is_by_word && code[first] != 0xe9) return false;              // jmp n
  size_t end = first + (is_by_word ? 6 : 5);
  if (end > count) return false;
  uint64_t target = relative(*at + end, code + end - 4);
  if (is_by_word) return read_word(target, at);
  *at = target;
  return true;
}

#endif

call_kind judge_call(uint64_t return_address, uint64_t program_counter, uint64_t *function) {
  if (!find_target(return_address, function)) return call_of_unknown;
  for (int jumps = 0; jumps < most_jumps && follow_jump(function); jumps++) continue;
  return may_lie_in(program_counter, *function) ? call_of_function : call_elsewhere;
}
#endif
