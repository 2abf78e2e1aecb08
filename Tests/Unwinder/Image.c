#define _GNU_SOURCE
#include "Image.h"

#include <link.h>
#include <stdlib.h>

enum { most_ranges = 256 };
static stallwatch_code_range ranges[most_ranges];
static size_t count;

typedef struct {
  uint64_t address, tables, end;
} table_search;

static int add_ranges(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  uint64_t tables = 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) tables = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
  for (int i = 0; i < info->dlpi_phnum && count < most_ranges; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    uint64_t start = info->dlpi_addr + part->p_vaddr;
    ranges[count++] = (stallwatch_code_range){.start = start, .end = start + part->p_memsz, .tables = tables};
  }
  return 0;
}

static int by_start(const void *one, const void *other) {
  uint64_t first = ((const stallwatch_code_range *)one)->start, second = ((const stallwatch_code_range *)other)->start;
  return first < second ? -1 : first > second;
}

stallwatch_code_map image_code(void) {
  if (count == 0) {
    dl_iterate_phdr(add_ranges, NULL);
    qsort(ranges, count, sizeof *ranges, by_start);
  }
  stallwatch_code_map code = {.ranges = ranges, .count = count};
  // The test's own code is noted, so that walks note its calls.
  uint64_t own = (uint64_t)(uintptr_t)image_code & (((uint64_t)1 << 48) - 1);
  for (size_t place = 0; place < count; place++) {
    if (own < ranges[place].start || own >= ranges[place].end) continue;
    code.noted_start = ranges[place].start;
    code.noted_end = ranges[place].end;
  }
  return code;
}

static int find_tables(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  table_search *search = context;
  bool holds = false;
  uint64_t tables = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uint64_t start = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) tables = start;
    if (part->p_type == PT_LOAD && search->address >= start && search->address < start + part->p_memsz) holds = true;
  }
  if (!holds || tables == 0) return 0;
  search->tables = tables;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uint64_t start = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && tables >= start && tables < start + part->p_memsz) search->end = start + part->p_filesz;
  }
  return 1;
}

uint64_t image_tables(uint64_t address, uint64_t *end) {
  table_search search = {.address = address};
  dl_iterate_phdr(find_tables, &search);
  *end = search.end;
  return search.tables;
}
