// DWARF expressions, as far as unwind tables use them: linkage tables, signal frames, realigned stacks.

#ifdef __linux__
#include "ByteReader.h"
#include "FrameRule.h"
#include "SafeMemory.h"

enum { deepest_stack = 16 };

bool evaluate_expression(uint64_t address, const stallwatch_registers *registers, bool has_first, uint64_t first,
                         bool (*read_word)(void *context, uint64_t address, uint64_t *word), void *context,
                         uint64_t *result) {
  uint8_t bytes[longest_expression];
  size_t copied = stallwatch_copy_memory(address, bytes, sizeof bytes);
  byte_reader reader = {.at = bytes, .end = bytes + copied, .address = address};
  uint64_t length = read_uleb(&reader);
  if (reader.is_over || length > (uint64_t)(reader.end - reader.at)) return false;
  reader.end = reader.at + length;

  uint64_t stack[deepest_stack];
  unsigned depth = 0;
  if (has_first) stack[depth++] = first;
  while (reader.at < reader.end) {
    uint8_t operation = (uint8_t)read_fixed(&reader, 1);
    uint64_t pushed = 0;
    if (operation >= 0x30 && operation <= 0x4f) {  // lit0…lit31
      pushed = operation - 0x30u;
    } else if (operation >= 0x70 && operation <= 0x8f) {  // breg0…breg31
      unsigned column = operation - 0x70u;
      uint64_t offset = (uint64_t)read_sleb(&reader);
#if !defined(__aarch64__)
      if (column == register_pc) {
        pushed = registers->program_counter + offset;
      } else
#endif
      if (column < stallwatch_register_count && (registers->known >> column & 1)) {
        pushed = registers->value[column] + offset;
      } else {
        return false;
      }
    } else {
      switch (operation) {
        case 0x08: pushed = read_fixed(&reader, 1); break;              // const1u
        case 0x09: pushed = (uint64_t)read_signed(&reader, 1); break;   // const1s
        case 0x0a: pushed = read_fixed(&reader, 2); break;              // const2u
        case 0x0b: pushed = (uint64_t)read_signed(&reader, 2); break;   // const2s
        case 0x0c: pushed = read_fixed(&reader, 4); break;              // const4u
        case 0x0d: pushed = (uint64_t)read_signed(&reader, 4); break;   // const4s
        case 0x0e: case 0x0f: pushed = read_fixed(&reader, 8); break;   // const8u, const8s
        case 0x10: pushed = read_uleb(&reader); break;                  // constu
        case 0x11: pushed = (uint64_t)read_sleb(&reader); break;        // consts
        case 0x12:                                                      // dup
          if (depth < 1) return false;
          pushed = stack[depth - 1];
          break;
        case 0x06:                                                      // deref
          if (depth < 1 || !read_word(context, stack[--depth], &pushed)) return false;
          break;
        case 0x23:                                                      // plus_uconst
          if (depth < 1) return false;
          pushed = stack[--depth] + read_uleb(&reader);
          break;
        default: {
          if (depth < 2) return false;
          uint64_t right = stack[--depth], left = stack[--depth];
          switch (operation) {
            case 0x1a: pushed = left & right; break;
            case 0x1c: pushed = left - right; break;
            case 0x21: pushed = left | right; break;
            case 0x22: pushed = left + right; break;
            case 0x24: pushed = right < 64 ? left << right : 0; break;
            case 0x29: pushed = left == right; break;
            case 0x2a: pushed = (int64_t)left >= (int64_t)right; break;
            case 0x2b: pushed = (int64_t)left > (int64_t)right; break;
            case 0x2c: pushed = (int64_t)left <= (int64_t)right; break;
            case 0x2d: pushed = (int64_t)left < (int64_t)right; break;
            case 0x2e: pushed = left != right; break;
            default: return false;
          }
        }
      }
    }
    if (depth == deepest_stack) return false;
    stack[depth++] = pushed;
  }
  if (reader.is_over || depth == 0) return false;
  *result = stack[depth - 1];
  return true;
}
#endif
