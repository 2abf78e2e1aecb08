// Unwind tables (.eh_frame and .eh_frame_hdr; the DWARF standard's "Call Frame Information"), read from
// memory that may vanish at any time: every piece is copied before use. Takes no lock of the loader: the
// caller knows from the memory map where the tables are.

#ifdef __linux__
#include "FrameRule.h"

#include "ByteReader.h"
#include "SafeMemory.h"

enum {
  longest_entry = 4096,
  usual_entry = 128,
  pairs_at_once = 64,
  /// More than a header of 2 GB has room for.
  most_functions = 1 << 28,
  deepest_state = 8,
};

/// A copy of a CIE or FDE.
typedef struct {
  uint8_t bytes[longest_entry];
  byte_reader reader;
} table_entry;

/// What a CIE says of all its functions.
typedef struct {
  uint64_t code_align;
  int64_t data_align;
  uint32_t return_column;
  uint8_t pointer_encoding;
  bool has_augmentation;
  bool is_signal_frame;
} common_information;

static bool copy_entry(uint64_t address, table_entry *entry) {
  // Most entries are shorter than this, and come with one call.
  size_t copied = stallwatch_copy_memory(address, entry->bytes, usual_entry);
  uint32_t length;
  if (copied < sizeof length) return false;
  memcpy(&length, entry->bytes, sizeof length);
  if (length < 4 || length > longest_entry - sizeof length) return false;
  size_t whole = sizeof length + length;
  if (copied < whole) copied += stallwatch_copy_memory(address + copied, entry->bytes + copied, whole - copied);
  if (copied < whole) return false;
  entry->reader = (byte_reader){
    .at = entry->bytes + sizeof length, .end = entry->bytes + whole, .address = address + sizeof length};
  return true;
}

/// A function's first address and its entry, relative to the header.
typedef struct {
  int32_t function, entry;
} table_pair;

/// Copies `count` pairs from the one at `first` on.
static bool copy_pairs(uint64_t pairs, uint64_t first, uint64_t count, table_pair *into) {
  size_t size = count * sizeof *into;
  return stallwatch_copy_memory(pairs + sizeof *into * first, into, size) == size;
}

/// Finds the last of `count` sorted pairs whose function starts at or before `wanted`, or the first pair. Guesses where
/// it lies, because functions lie close together, and reads a few pairs around; every second step halves instead, in
/// case some functions are much longer than others.
static bool find_pair(uint64_t pairs, uint64_t count, int64_t wanted, table_pair *found) {
  table_pair near[pairs_at_once];
  uint64_t low = 0, high = count;
  if (!copy_pairs(pairs, low, 1, found) || !copy_pairs(pairs, high - 1, 1, near)) return false;
  int64_t lowest = found->function, highest = near[0].function;
  for (bool halves = false;; halves = !halves) {
    uint64_t room = high - low, read = room < pairs_at_once ? room : pairs_at_once, first = low + (room - read) / 2;
    if (!halves && lowest < wanted && wanted < highest) {
      uint64_t guess = low + (uint64_t)(wanted - lowest) * room / (uint64_t)(highest - lowest);
      uint64_t before = guess < low + read / 2 ? low : guess - read / 2;
      first = before < high - read ? before : high - read;
    }
    if (!copy_pairs(pairs, first, read, near)) return false;
    if (wanted < near[0].function && first > low) {
      high = first, highest = near[0].function;
    } else if (wanted >= near[read - 1].function && first + read < high) {
      low = first + read - 1, lowest = near[read - 1].function;
    } else {
      uint64_t place = 0;
      while (place + 1 < read && near[place + 1].function <= wanted) place++;
      *found = near[place];
      return true;
    }
  }
}

uint64_t find_frame_entry(uint64_t program_counter, uint64_t tables) {
  uint8_t header[32];
  size_t copied = stallwatch_copy_memory(tables, header, sizeof header);
  if (copied < 12 || header[0] != 1) return 0;
  byte_reader reader = {.at = header + 4, .end = header + copied, .address = tables + 4};
  read_encoded(&reader, header[1], tables);
  uint64_t count = read_encoded(&reader, header[2], tables);
  // Sorted pairs, each four bytes relative to the header: the form that all linkers write.
  if (reader.is_over || header[3] != 0x3b || count == 0 || count > most_functions) return 0;
  table_pair found;
  if (!find_pair(reader.address, count, (int64_t)(program_counter - tables), &found)) return 0;
  return tables + (uint64_t)(int64_t)found.entry;
}

/// Reads a CIE, and leaves the reader at its instructions.
static bool read_common(table_entry *entry, common_information *common) {
  byte_reader *reader = &entry->reader;
  if (read_fixed(reader, 4) != 0) return false;
  uint64_t version = read_fixed(reader, 1);
  if (version != 1 && version != 3) return false;
  const char *augmentation = (const char *)reader->at;
  size_t room = (size_t)(reader->end - reader->at), length = strnlen(augmentation, room);
  if (length == room) return false;
  skip_bytes(reader, length + 1);
  *common = (common_information){.has_augmentation = augmentation[0] == 'z'};
  common->code_align = read_uleb(reader);
  common->data_align = read_sleb(reader);
  common->return_column = (uint32_t)(version == 1 ? read_fixed(reader, 1) : read_uleb(reader));
  if (!common->has_augmentation) return length == 0 && !reader->is_over;
  uint64_t size = read_uleb(reader);
  byte_reader data = *reader;
  skip_bytes(reader, size);
  for (const char *letter = augmentation + 1; *letter; letter++) {
    switch (*letter) {
      case 'R': common->pointer_encoding = (uint8_t)read_fixed(&data, 1); break;
      case 'L': read_fixed(&data, 1); break;
      case 'P': {
        uint8_t encoding = (uint8_t)read_fixed(&data, 1);
        read_encoded(&data, encoding, 0);
        break;
      }
      case 'S': common->is_signal_frame = true; break;
      case 'B': break;  // Return addresses are signed; reading them removes the signature.
      default: return false;
    }
  }
  return !data.is_over && !reader->is_over;
}

static void set_rule(frame_rule *row, uint64_t column, rule_kind kind, int64_t value) {
  if (column < rule_columns) row->rules[column] = (register_rule){.kind = kind, .value = value};
}

static void set_cfa(frame_rule *row, uint64_t column, int64_t offset) {
  row->cfa_is_expression = false;
  row->cfa_register = (uint32_t)column;
  row->cfa.value = offset;
}

/// An offset in units of the CIE's factor. Unsigned, so that a nonsensical table is not undefined behaviour.
static int64_t scaled(const common_information *common, uint64_t offset) {
  return (int64_t)(offset * (uint64_t)common->data_align);
}

/// The address of an expression, length included; the reader goes on after it.
static int64_t read_expression(byte_reader *reader) {
  int64_t address = (int64_t)reader->address;
  skip_bytes(reader, read_uleb(reader));
  return address;
}

/// Ends a row; false if the instructions were cut off.
static bool end_row(frame_rule *row, uint64_t start, uint64_t end, const byte_reader *reader) {
  row->row_start = start;
  row->row_end = end;
  return !reader->is_over;
}

/// Runs call frame instructions from `location` up to `program_counter`. `initial` is the row after the CIE's
/// own instructions, NULL while those run.
static bool run_instructions(byte_reader *reader, const common_information *common, uint64_t location,
                             uint64_t program_counter, const frame_rule *initial, frame_rule *row) {
  frame_rule saved[deepest_state];
  unsigned depth = 0;
  uint64_t begin = location;
  while (reader->at < reader->end) {
    uint8_t byte = (uint8_t)read_fixed(reader, 1), low = byte & 0x3f;
    uint64_t column, advance = 0;
    switch (byte & 0xc0) {
      case 0x40: advance = low; break;
      case 0x80: set_rule(row, low, rule_at_offset, scaled(common, read_uleb(reader))); continue;
      case 0xc0:
        if (initial == NULL) return false;
        if (low < rule_columns) row->rules[low] = initial->rules[low];
        continue;
      default:
        switch (byte) {
          case 0x00: continue;                                                             // nop
          case 0x01: location = read_encoded(reader, common->pointer_encoding, 0);         // set_loc
            if (location > program_counter) return end_row(row, begin, location, reader);
            begin = location;
            continue;
          case 0x02: advance = read_fixed(reader, 1); break;                               // advance_loc1
          case 0x03: advance = read_fixed(reader, 2); break;                               // advance_loc2
          case 0x04: advance = read_fixed(reader, 4); break;                               // advance_loc4
          case 0x05: column = read_uleb(reader);                                           // offset_extended
            set_rule(row, column, rule_at_offset, scaled(common, read_uleb(reader)));
            continue;
          case 0x06: column = read_uleb(reader);                                           // restore_extended
            if (initial == NULL) return false;
            if (column < rule_columns) row->rules[column] = initial->rules[column];
            continue;
          case 0x07: set_rule(row, read_uleb(reader), rule_unknown, 0); continue;          // undefined
          case 0x08: set_rule(row, read_uleb(reader), rule_same, 0); continue;             // same_value
          case 0x09: column = read_uleb(reader);                                           // register
            set_rule(row, column, rule_register, (int64_t)read_uleb(reader));
            continue;
          case 0x0a: if (depth == deepest_state) return false;                             // remember_state
            saved[depth++] = *row;
            continue;
          case 0x0b: if (depth == 0) return false;                                         // restore_state
            *row = saved[--depth];
            continue;
          case 0x0c: column = read_uleb(reader);                                           // def_cfa
            set_cfa(row, column, (int64_t)read_uleb(reader));
            continue;
          case 0x0d: set_cfa(row, read_uleb(reader), row->cfa.value); continue;            // def_cfa_register
          case 0x0e: set_cfa(row, row->cfa_register, (int64_t)read_uleb(reader)); continue;  // def_cfa_offset
          case 0x0f: row->cfa_is_expression = true;                                        // def_cfa_expression
            row->cfa.value = read_expression(reader);
            continue;
          case 0x10: column = read_uleb(reader);                                           // expression
            set_rule(row, column, rule_at_expression, read_expression(reader));
            continue;
          case 0x11: column = read_uleb(reader);                                           // offset_extended_sf
            set_rule(row, column, rule_at_offset, scaled(common, (uint64_t)read_sleb(reader)));
            continue;
          case 0x12: column = read_uleb(reader);                                           // def_cfa_sf
            set_cfa(row, column, scaled(common, (uint64_t)read_sleb(reader)));
            continue;
          case 0x13: set_cfa(row, row->cfa_register, scaled(common, (uint64_t)read_sleb(reader))); continue;
          case 0x14: column = read_uleb(reader);                                           // val_offset
            set_rule(row, column, rule_offset, scaled(common, read_uleb(reader)));
            continue;
          case 0x15: column = read_uleb(reader);                                           // val_offset_sf
            set_rule(row, column, rule_offset, scaled(common, (uint64_t)read_sleb(reader)));
            continue;
          case 0x16: column = read_uleb(reader);                                           // val_expression
            set_rule(row, column, rule_expression, read_expression(reader));
            continue;
          case 0x2d: continue;                                                             // AARCH64_negate_ra_state
          case 0x2e: read_uleb(reader); continue;                                          // GNU_args_size
          default: return false;
        }
    }
    location += advance * common->code_align;
    if (location > program_counter) return end_row(row, begin, location, reader);
    begin = location;
  }
  return end_row(row, begin, row->function + row->function_size, reader);
}

frame_rule read_frame_rule_in(uint64_t program_counter, uint64_t found) {
  frame_rule row = {.program_counter = program_counter};
  table_entry entry, cie;
  if (found == 0 || !copy_entry(found, &entry)) return row;
  byte_reader *reader = &entry.reader;
  uint64_t pointer = read_fixed(reader, 4);
  common_information common;
  if (pointer == 0 || !copy_entry(found + 4 - pointer, &cie) || !read_common(&cie, &common)) return row;
  uint64_t start = read_encoded(reader, common.pointer_encoding, 0);
  uint64_t size = read_encoded(reader, common.pointer_encoding & 0x0f, 0);
  if (common.has_augmentation) skip_bytes(reader, read_uleb(reader));
  if (reader->is_over || program_counter < start || program_counter - start >= size) return row;
  row.function = start;
  row.function_size = size;
  row.is_signal_frame = common.is_signal_frame;
  row.return_column = common.return_column;
  if (common.return_column >= rule_columns) return row;
  if (!run_instructions(&cie.reader, &common, 0, UINT64_MAX, NULL, &row)) return row;
  frame_rule initial = row;
  row.is_known = run_instructions(reader, &common, start, program_counter, &initial, &row);
  return row;
}

frame_rule read_frame_rule(uint64_t program_counter, uint64_t tables) {
  return read_frame_rule_in(program_counter, tables != 0 ? find_frame_entry(program_counter, tables) : 0);
}
#endif
