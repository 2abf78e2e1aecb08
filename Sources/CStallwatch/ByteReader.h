#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Reads DWARF's encodings from a copy of memory. Anything beyond the copy reads as 0 and sets `is_over`,
// which the caller checks once, at the end.

typedef struct {
  const uint8_t *at;
  const uint8_t *end;
  /// The address that the byte at `at` was copied from.
  uint64_t address;
  bool is_over;
} byte_reader;

static inline uint64_t read_fixed(byte_reader *reader, unsigned size) {
  uint64_t value = 0;
  if ((uint64_t)(reader->end - reader->at) < size) {
    reader->is_over = true;
    reader->at = reader->end;
    return 0;
  }
  memcpy(&value, reader->at, size);  // Both supported processors are little-endian.
  reader->at += size;
  reader->address += size;
  return value;
}

static inline int64_t read_signed(byte_reader *reader, unsigned size) {
  uint64_t value = read_fixed(reader, size);
  unsigned shift = 64 - 8 * size;
  return (int64_t)(value << shift) >> shift;
}

static inline uint64_t read_uleb(byte_reader *reader) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    uint8_t byte = (uint8_t)read_fixed(reader, 1);
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
}

static inline int64_t read_sleb(byte_reader *reader) {
  uint64_t value = 0;
  for (unsigned shift = 0;;) {
    uint8_t byte = (uint8_t)read_fixed(reader, 1);
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if (shift < 64 && (byte & 0x40)) value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
  }
}

static inline void skip_bytes(byte_reader *reader, uint64_t count) {
  if (count > (uint64_t)(reader->end - reader->at)) {
    reader->is_over = true;
    count = (uint64_t)(reader->end - reader->at);
  }
  reader->at += count;
  reader->address += count;
}

/// A pointer in one of the DW_EH_PE encodings (Linux Standard Base, "Exception Frames"): absolute, or
/// relative to itself or to `data`. Indirect pointers (bit 7) read as the address that they point through.
static inline uint64_t read_encoded(byte_reader *reader, uint8_t encoding, uint64_t data) {
  uint64_t base = 0, value = 0;
  switch (encoding & 0x70) {
    case 0x10: base = reader->address; break;
    case 0x30: base = data; break;
  }
  switch (encoding & 0x0f) {
    case 0x00: case 0x04: case 0x0c: value = read_fixed(reader, 8); break;
    case 0x01: value = read_uleb(reader); break;
    case 0x02: value = read_fixed(reader, 2); break;
    case 0x03: value = read_fixed(reader, 4); break;
    case 0x09: value = (uint64_t)read_sleb(reader); break;
    case 0x0a: value = (uint64_t)read_signed(reader, 2); break;
    case 0x0b: value = (uint64_t)read_signed(reader, 4); break;
    default: reader->is_over = true; break;
  }
  return base + value;
}
