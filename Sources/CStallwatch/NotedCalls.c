// What is done with the frames that a walk found by the noted code's calls.

#ifdef __linux__
#include <string.h>

#include "CodeMap.h"
#include "FrameRule.h"

void stallwatch_insert_frames(stallwatch_walk *walk, uint32_t place, const uint64_t *frames, uint32_t count) {
  uint32_t start = place + 1, room = stallwatch_maximum_frames - start;
  if (place >= walk->count) return;
  uint32_t behind = walk->count - start, added = count < room ? count : room;
  uint32_t kept = behind < room - added ? behind : room - added;
  memmove(&walk->frames[start + added], &walk->frames[start], kept * sizeof walk->frames[0]);
  memcpy(&walk->frames[start], frames, added * sizeof walk->frames[0]);
  walk->count = start + added + kept;
  walk->cut += count - added + (behind - kept);
}

bool stallwatch_is_function(stallwatch_code_map code, uint64_t address) {
  const stallwatch_code_range *range = find_code(&code, address);
  if (range == NULL || range->tables == 0) return false;
  uint64_t entry = find_frame_entry(address, range->tables);
  return entry != 0 && read_frame_rule_in(address, entry).function == address;
}
#endif
