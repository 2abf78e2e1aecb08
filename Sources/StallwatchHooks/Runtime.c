// Which Swift runtime this process has loaded. Swift has no stable ABI on Linux, so code built against one
// runtime must not meet another.

#define _GNU_SOURCE
#include "Runtime.h"

#if defined(__APPLE__)

bool stallwatch_runtime_matches(const char *expected, char *found, size_t capacity) {
  (void)expected, (void)found, (void)capacity;
  return true;  // The ABI is stable there.
}

void *stallwatch_find_in_library(const char *library, const char *name) {
  (void)library, (void)name;
  return NULL;
}

void *stallwatch_find_onward(const char *library, const char *name) {
  (void)library, (void)name;
  return NULL;
}

#else

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

/// The longest build-id to read, in bytes; linkers write 20.
enum { longest_build_id = 32 };

/// A library to look for, and what was found of it.
typedef struct {
  const char *name;
  size_t name_length;
  bool loaded;
  char build_id[2 * longest_build_id + 1];
  char path[1024];
} loaded_library;

static bool is_named(const char *path, const loaded_library *library) {
  const char *slash = strrchr(path, '/');
  const char *last = slash != NULL ? slash + 1 : path;
  return strlen(last) == library->name_length && memcmp(last, library->name, library->name_length) == 0;
}

static void write_hex(const unsigned char *bytes, size_t count, char *out) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; i++) {
    *out++ = digits[bytes[i] >> 4];
    *out++ = digits[bytes[i] & 15];
  }
  *out = '\0';
}

static size_t padded(size_t size) { return (size + 3) & ~(size_t)3; }

static void read_build_id(const char *notes, size_t size, char *out) {
  while (size >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)notes;
    size_t name_size = padded(note->n_namesz), length = sizeof *note + name_size + padded(note->n_descsz);
    if (length > size) return;
    const char *name = notes + sizeof *note;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
        note->n_descsz <= longest_build_id) {
      write_hex((const unsigned char *)name + name_size, note->n_descsz, out);
      return;
    }
    notes += length;
    size -= length;
  }
}

static int look_at_image(struct dl_phdr_info *image, size_t size, void *argument) {
  (void)size;
  loaded_library *library = argument;
  if (image->dlpi_name == NULL || !is_named(image->dlpi_name, library)) return 0;
  library->loaded = true;
  strncpy(library->path, image->dlpi_name, sizeof library->path - 1);
  for (int i = 0; i < image->dlpi_phnum && library->build_id[0] == '\0'; i++) {
    const ElfW(Phdr) *segment = &image->dlpi_phdr[i];
    if (segment->p_type == PT_NOTE)
      read_build_id((const char *)(image->dlpi_addr + segment->p_vaddr), segment->p_memsz, library->build_id);
  }
  return 1;
}

/// Appends to a text, and cuts off what does not fit.
static void append(char *text, size_t capacity, const char *addition, size_t length) {
  size_t used = strlen(text), room = capacity - used - 1;
  if (length > room) length = room;
  memcpy(text + used, addition, length);
  text[used + length] = '\0';
}

bool stallwatch_runtime_matches(const char *expected, char *found, size_t capacity) {
  found[0] = '\0';
  if (expected == NULL || expected[0] == '\0') {
    append(found, capacity, "nothing to compare with", strlen("nothing to compare with"));
    return false;
  }
  bool matches = true;
  for (const char *entry = expected; *entry != '\0';) {
    size_t entry_length = strcspn(entry, ","), name_length = strcspn(entry, "=,");
    const char *wanted = entry + name_length + (name_length < entry_length ? 1 : 0);
    size_t wanted_length = (size_t)(entry + entry_length - wanted);

    loaded_library library = {.name = entry, .name_length = name_length};
    dl_iterate_phdr(look_at_image, &library);
    const char *seen = !library.loaded ? "absent" : library.build_id[0] == '\0' ? "unnamed" : library.build_id;
    bool is_same = strlen(seen) == wanted_length && memcmp(seen, wanted, wanted_length) == 0;
    // What the program has not loaded comes with the monitor.
    if (library.loaded && !is_same) matches = false;

    if (found[0] != '\0') append(found, capacity, ",", 1);
    append(found, capacity, entry, name_length);
    append(found, capacity, "=", 1);
    append(found, capacity, seen, strlen(seen));
    entry += entry_length + (entry[entry_length] == ',' ? 1 : 0);
  }
  return matches;
}

void *stallwatch_find_in_library(const char *library, const char *name) {
  loaded_library found = {.name = library, .name_length = strlen(library)};
  dl_iterate_phdr(look_at_image, &found);
  if (!found.loaded) return NULL;
  void *handle = dlopen(found.path, RTLD_LAZY | RTLD_NOLOAD);
  return handle != NULL ? dlsym(handle, name) : NULL;
}

void *stallwatch_find_onward(const char *library, const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  return found != NULL ? found : stallwatch_find_in_library(library, name);
}

#endif
