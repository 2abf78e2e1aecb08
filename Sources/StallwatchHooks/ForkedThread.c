#define _GNU_SOURCE
#include "ForkedThread.h"

#if !defined(__linux__)

void stallwatch_renew_thread_number(pid_t old) { (void)old; }

#else

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static bool is_of_swift(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  return strncmp(name, "libswift", 8) == 0 || strncmp(name, "libFoundation", 13) == 0;
}

/// The ID is a word of its own among a library's thread-local variables, which are less than a hundred bytes.
static int renew(struct dl_phdr_info *library, size_t size, void *old) {
  if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof library->dlpi_tls_data) return 1;
  if (library->dlpi_tls_data == NULL || !is_of_swift(library->dlpi_name)) return 0;
  for (size_t index = 0; index < library->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &library->dlpi_phdr[index];
    if (header->p_type != PT_TLS) continue;
    uint32_t *words = library->dlpi_tls_data;
    for (size_t word = 0; word < header->p_memsz / sizeof *words; word++) {
      if (words[word] == *(const uint32_t *)old) words[word] = (uint32_t)getpid();
    }
  }
  return 0;
}

void stallwatch_renew_thread_number(pid_t old) {
  uint32_t number = (uint32_t)old;
  dl_iterate_phdr(renew, &number);
}

#endif
