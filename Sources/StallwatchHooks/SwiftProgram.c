// Whether this process runs Swift: with the runtime as a library, or linked into the program.

#define _GNU_SOURCE
#include "SwiftProgram.h"

#if defined(__linux__)

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CallerSearch.h"

enum {
  /// The compiler writes some twenty sections for Swift's types among some sixty in all.
  most_sections = 4096,
  longest_names = 1 << 20,
};

/// Reads a piece of a file in full.
static bool read_piece(int file, void *into, size_t size, uint64_t offset) {
  return pread(file, into, size, (off_t)offset) == (ssize_t)size;
}

/// Whether a section's name begins so, as those with metadata of Swift do.
static bool is_swift_section(int file, const ElfW(Shdr) *names, const ElfW(Shdr) *section) {
  static const char prefix[] = "swift5_";
  char name[sizeof prefix - 1];
  if (section->sh_name > names->sh_size || names->sh_size - section->sh_name < sizeof name) return false;
  return read_piece(file, name, sizeof name, names->sh_offset + section->sh_name) && memcmp(name, prefix, sizeof name) == 0;
}

static bool has_swift_sections(int file) {
  ElfW(Ehdr) header;
  ElfW(Shdr) names, section;
  if (!read_piece(file, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_shentsize != sizeof section || header.e_shnum > most_sections || header.e_shstrndx >= header.e_shnum)
    return false;
  if (!read_piece(file, &names, sizeof names, header.e_shoff + (uint64_t)header.e_shstrndx * sizeof names)) return false;
  if (names.sh_size > longest_names) return false;
  for (unsigned place = 0; place < header.e_shnum; place++) {
    if (!read_piece(file, &section, sizeof section, header.e_shoff + (uint64_t)place * sizeof section)) return false;
    if (is_swift_section(file, &names, &section)) return true;
  }
  return false;
}

static bool has_runtime_linked_in;

static void look_at_program(void) {
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  has_runtime_linked_in = has_swift_sections(file);
  close(file);
}

swift_runtime stallwatch_find_swift_runtime(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (stallwatch_has_swift_library()) return swift_library;
  pthread_once(&once, look_at_program);
  return has_runtime_linked_in ? swift_linked_in : swift_nowhere;
}

#endif
