// Mutated unwind tables, expressions, instructions and stacks, for tools/judge/unwinder: fuzz SECONDS [SEED]
//
// Nothing is judged but that it ends: the sanitizers say what it may not do. Prints what it has tried.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "FrameRecord.h"
#include "FrameRule.h"
#include "Image.h"
#include "SafeMemory.h"
#include "StackTrail.h"

enum { most_tables = 1 << 18, stack_words = 4096, tries_a_table = 64 };

static uint8_t seed_tables[most_tables], tables[most_tables];
static size_t tables_length;
static uint64_t stack_copy[stack_words];
static uint64_t state;

static uint64_t random_word(void) {
  // splitmix64
  uint64_t word = state += UINT64_C(0x9e3779b97f4a7c15);
  word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
  return word ^ word >> 31;
}

static stallwatch_trail trail;
static unsigned long frames_walked;

static uint64_t below(uint64_t limit) { return random_word() % limit; }

/// Bytes that mean something to a reader of tables, beside those that mean nothing.
static uint8_t odd_byte(void) {
  static const uint8_t telling[] = {0, 1, 0x0a, 0x0b, 0x0f, 0x10, 0x16, 0x1b, 0x3b, 0x40, 0x7f, 0x80, 0xc0, 0xff};
  return below(2) ? telling[below(sizeof telling)] : (uint8_t)random_word();
}

static bool read_nothing(void *context, uint64_t address, uint64_t *word) {
  (void)context;
  *word = address * 3;
  return address % 5 != 0;
}

static uint64_t address_of(const void *memory) { return (uint64_t)(uintptr_t)memory; }

/// Walks one stack after the other of a thread that moves, along its trail and anew.
static void try_trail(stallwatch_walker *walker, stallwatch_registers *registers, stallwatch_stack_copy stack,
                      stallwatch_code_map code) {
  for (int turn = 0; turn < 6; turn++) {
    stallwatch_walk along, anew;
    stallwatch_walk_stack(walker, registers, stack, code, &trail, &along);
    stallwatch_walk_stack(walker, registers, stack, code, NULL, &anew);
    if (along.count != anew.count || along.cut != anew.cut || along.ending != anew.ending ||
        memcmp(along.frames, anew.frames, anew.count * sizeof *anew.frames) != 0) {
      puts("a walk along a trail ends elsewhere");
      abort();
    }
    frames_walked += anew.count;
    if (below(2)) stack_copy[below(stack_words)] = random_word();
    if (below(4) == 0) registers->value[below(stallwatch_register_count)] += 8 * below(4);
    if (below(4) == 0) registers->program_counter += below(16);
  }
}

static void try_tables(stallwatch_walker *walker) {
  memcpy(tables, seed_tables, tables_length);
  for (uint64_t left = below(32); left > 0; left--) {
    // The header and its table of functions come first, and decide what is found.
    size_t room = below(2) ? tables_length : tables_length < 256 ? tables_length : 256;
    tables[below(room)] = odd_byte();
  }
  uint64_t start = address_of(tables);
  for (int i = 0; i < tries_a_table; i++) {
    int32_t offset;
    memcpy(&offset, tables + 12 + 8 * below(tables_length / 64), sizeof offset);
    uint64_t counter = start + (uint64_t)(int64_t)offset + below(64);
    frame_rule rule = read_frame_rule(counter, start);
    if (i % 8 != 0) continue;
    stallwatch_code_range code[] = {{.start = counter - 4096, .end = counter + 4096, .tables = start}};
    stallwatch_registers registers = {.program_counter = counter, .known = random_word()};
    for (unsigned column = 0; column < stallwatch_register_count; column++)
      registers.value[column] = address_of(stack_copy) + 8 * below(stack_words);
    registers.value[register_sp] = address_of(stack_copy);
    for (int word = 0; word < 256; word++)
      stack_copy[below(stack_words)] = below(2) ? counter + below(8192) - 4096 : address_of(stack_copy) + 8 * below(stack_words);
    stallwatch_walker_forget(walker);
    stallwatch_stack_copy stack = {
      .start = address_of(stack_copy), .length = 1 + below(sizeof stack_copy), .bytes = (const uint8_t *)stack_copy};
    try_trail(walker, &registers, stack, (stallwatch_code_map){.ranges = code, .count = below(8) != 0});
    (void)rule;
  }
}

static void try_bytes(void) {
  // Where the bytes end nothing follows that may be read.
  size_t length = 1 + below(96);
  uint8_t *bytes = malloc(length);
  for (size_t i = 0; i < length; i++) bytes[i] = odd_byte();
  bytes[0] = below(2) ? (uint8_t)(length - 1) : bytes[0];
  stallwatch_registers registers = {.program_counter = random_word(), .known = random_word()};
  uint64_t result;
  evaluate_expression(address_of(bytes), &registers, below(2), random_word(), read_nothing, NULL, &result);
  find_record_by_prologue(address_of(bytes), random_word(), &result);
  follows_call(address_of(bytes) + length);
  free(bytes);
}

int main(int count, char **arguments) {
  if (count < 2 || count > 3) {
    fputs("usage: fuzz SECONDS [SEED]\n", stderr);
    return 2;
  }
  double seconds = atof(arguments[1]);
  uint64_t seed = count == 3 ? strtoull(arguments[2], NULL, 10) : (uint64_t)time(NULL);
  printf("seed %llu\n", (unsigned long long)seed);
  fflush(stdout);
  state = seed;
  uint64_t end, found = image_tables(address_of(main), &end);
  if (found == 0) return 1;
  tables_length = end - found < most_tables ? end - found : most_tables;
  memcpy(seed_tables, (const void *)(uintptr_t)found, tables_length);
  stallwatch_walker *walker = stallwatch_walker_create();
  stallwatch_begin_reading();
  struct timespec began, now;
  clock_gettime(CLOCK_MONOTONIC, &began);
  unsigned long rounds = 0;
  do {
    try_tables(walker);
    for (int i = 0; i < 64; i++) try_bytes();
    rounds++;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((double)(now.tv_sec - began.tv_sec) + (double)(now.tv_nsec - began.tv_nsec) / 1e9 < seconds);
  stallwatch_end_reading();
  stallwatch_walker_destroy(walker);
  printf("%lu tables, %lu walks, %lu expressions and instructions: none did what it must not\n", rounds,
         rounds * tries_a_table / 8 * 12, rounds * 64);
  return 0;
}
