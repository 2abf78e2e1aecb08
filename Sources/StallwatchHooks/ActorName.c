// Reads names as the ABI of Swift's metadata lays them out (swift/ABI/Metadata.h): without interoperation with Objective-C,
// so on Linux alone.

#include "ActorName.h"

#include <stdint.h>
#include <string.h>

/// Where a class has the address of its description.
enum { description_offset = 40 };
/// The most types that a class is declared in.
enum { deepest = 8 };

/// The start of each description: the kind lies in the five lowest bits of `flags`.
typedef struct {
  uint32_t flags;
  /// Relative to its own place; with the lowest bit set, where the address lies.
  int32_t parent;
  /// Relative to its own place; of modules and types only.
  int32_t name;
} description;

enum { kind_mask = 31, module_kind = 0, first_type_kind = 16 };

static const description *parent_of(const description *it) {
  if (it->parent == 0) return NULL;
  const char *place = (const char *)&it->parent + (it->parent & ~1);
  return it->parent & 1 ? *(const description *const *)place : (const description *)place;
}

static const char *name_of(const description *it) {
  uint32_t kind = it->flags & kind_mask;
  if ((kind != module_kind && kind < first_type_kind) || it->name == 0) return NULL;
  return (const char *)&it->name + it->name;
}

const char *stallwatch_actor_name(const void *metadata, char *buffer, size_t capacity) {
  const description *chain[deepest];
  int count = 0;
  const description *it = *(const description *const *)((const char *)metadata + description_offset);
  for (; it != NULL && count < deepest; it = parent_of(it)) chain[count++] = it;
  size_t used = 0;
  while (count > 0) {
    const char *name = name_of(chain[--count]);
    size_t length = name != NULL ? strlen(name) : 0, room = capacity - 1 - used;
    if (length == 0) continue;
    if (used > 0 && room > 0) {
      buffer[used++] = '.';
      room--;
    }
    if (length > room) length = room;
    memcpy(buffer + used, name, length);
    used += length;
  }
  buffer[used] = '\0';
  return buffer;
}
