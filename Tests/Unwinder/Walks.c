// Walks of stacks whose callers are known, for tools/judge/unwinder: prints a line a case, and exits with 1 if one fails.

#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "Bare.h"
#include "CallTarget.h"
#include "FrameRecord.h"
#include "FrameRule.h"
#include "Frameless.h"
#include "Image.h"
#include "StackTrail.h"
#include "SafeMemory.h"
#include "SignalCapture.h"

#define KEPT __attribute__((noinline, noclone))
#if defined(__clang__)
#undef KEPT
#define KEPT __attribute__((noinline))
#endif

enum { most_expected = 512, most_stack = 1 << 20 };

/// Return addresses, innermost first, as the functions themselves know them.
static uint64_t expected[most_expected];
static unsigned expected_count;
static uint8_t stack_bytes[most_stack];
static stallwatch_walker *walker;
static stallwatch_walk walk;
/// Of all walks, one after the other.
static stallwatch_trail trail;
/// Whether the registers are known, or the program counter and the stack pointer alone, as of a blocked thread.
static bool knows_registers;
static uint64_t stack_end;
static unsigned failures;

static uint64_t plain(const void *address) { return (uint64_t)(uintptr_t)address & (((uint64_t)1 << 48) - 1); }

/// Whether the calls are the same; a trail has as many as its own walk kept, which may have begun farther in.
static bool has_same_calls(const stallwatch_walk *one, const stallwatch_walk *other) {
  for (uint32_t place = 0; place < one->call_count && place < other->call_count; place++) {
    const stallwatch_noted_call *call = &one->calls[place], *again = &other->calls[place];
    if (call->frame != again->frame || call->function != again->function ||
        call->kept_context != again->kept_context || call->register_context != again->register_context)
      return false;
  }
  return one->call_count == other->call_count || one->call_count == stallwatch_maximum_noted_calls;
}

static bool is_same_walk(const stallwatch_walk *one, const stallwatch_walk *other) {
  return one->count == other->count && one->cut == other->cut && one->ending == other->ending &&
         memcmp(one->frames, other->frames, one->count * sizeof *one->frames) == 0 && has_same_calls(one, other);
}

/// In a signal's handler: walks the stack that was interrupted.
__attribute__((no_sanitize("address"))) static void capture(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  const ucontext_t *interrupted = context;
  stallwatch_registers registers = {.known = 0};
#if defined(__aarch64__)
  for (unsigned column = 0; column <= register_lr; column++)
    registers.value[column] = interrupted->uc_mcontext.regs[column];
  registers.value[register_sp] = interrupted->uc_mcontext.sp;
  registers.program_counter = interrupted->uc_mcontext.pc;
#else
  static const int places[stallwatch_register_count] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
    REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
  };
  for (unsigned column = 0; column < stallwatch_register_count; column++)
    registers.value[column] = (uint64_t)interrupted->uc_mcontext.gregs[places[column]];
  registers.program_counter = (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
#endif
  registers.known = ((uint64_t)1 << stallwatch_register_count) - 1;
  uint64_t start = registers.value[register_sp];
  if (!knows_registers) registers = stallwatch_registers_at(registers.program_counter, start);
  size_t length = stack_end - start < most_stack ? stack_end - start : most_stack;
  for (size_t place = 0; place < length; place++) stack_bytes[place] = ((const volatile uint8_t *)(uintptr_t)start)[place];
  stallwatch_stack_copy stack = {.start = start, .length = length, .bytes = stack_bytes};
  stallwatch_walk_stack(walker, &registers, stack, image_code(), NULL, &walk);
  for (int again = 0; again < 3; again++) {
    stallwatch_walk other;
    stallwatch_walk_stack(walker, &registers, stack, image_code(), &trail, &other);
    if (is_same_walk(&walk, &other)) continue;
    failures++;
    puts("FAIL  a walk along a trail ends elsewhere");
  }
}

/// Notes where the calling function returns to.
#define NOTE(place) expected[place] = plain(__builtin_return_address(0))

KEPT static int interrupted(void) {
  NOTE(0);
  raise(SIGUSR1);
  return 1;
}

KEPT static int middle(int count) {
  NOTE(1);
  volatile int sum = interrupted() + count;
  return sum;
}

KEPT static int outer(int count) {
  NOTE(2);
  volatile char room[300];
  memset((void *)room, 1, sizeof room);
  return middle(count + room[7]) + room[9];
}

/// Its frame's size is not known beforehand, and its stack is realigned.
KEPT static int sized(int count) {
  NOTE(3);
  volatile char room[count];
  _Alignas(64) volatile char aligned[64];
  room[0] = aligned[0] = 2;
  return outer(count) + room[0] + aligned[0];
}

KEPT static int recursive(int depth) {
  volatile int own = depth;
  if (depth == 0) return outer(1);
  return recursive(depth - 1) + own;
}

static int from_handler_value;
KEPT static void in_handler(int number) {
  (void)number;
  from_handler_value = outer(2);
}

KEPT static int raising(void) {
  NOTE(3);
  raise(SIGUSR2);
  return from_handler_value;
}

/// Whether the noted addresses are on the walk, in their order.
/// Whether the first calls by the noted code were noted, each with the place of the called function's frame.
static bool notes_calls(void) {
  stallwatch_code_map code = image_code();
  uint32_t noted = 0;
  for (uint32_t place = 0; place + 1 < walk.count && noted < stallwatch_maximum_noted_calls; place++) {
    uint64_t caller = walk.frames[place + 1] - 1;
    if (caller < code.noted_start || caller >= code.noted_end) continue;
    if (noted == walk.call_count || walk.calls[noted++].frame != place) return false;
  }
  return noted >= 4 && noted == walk.call_count;
}

static bool holds_expected(void) {
  unsigned found = 0;
  for (uint32_t place = 0; place < walk.count && found < expected_count; place++)
    if (walk.frames[place] == expected[found]) found++;
  return found == expected_count;
}

static void judge(const char *name, bool passed) {
  printf("%s  %s (%u frames, ending %d)\n", passed ? "pass" : "FAIL", name, walk.count, (int)walk.ending);
  if (passed) return;
  failures++;
  for (unsigned place = 0; place < expected_count; place++) printf("    expected %#lx\n", (unsigned long)expected[place]);
  for (uint32_t place = 0; place < walk.count; place++) printf("    found    %#lx\n", (unsigned long)walk.frames[place]);
}

KEPT static int through_bare(void) { return outer(3); }

KEPT static int calling_frameless(void) {
  NOTE(3);
  volatile int sum = frameless_call(through_bare);
  return sum;
}

#if defined(__x86_64__)
KEPT static int calling_pointing(void) {
  NOTE(3);
  volatile int sum = frameless_point(through_bare);
  return sum;
}

/// Elsewhere nothing tells the frame of a function that is not known.
KEPT static int pointing_frameless(void) {
  NOTE(3);
  int (*volatile pointer)(int (*)(void)) = frameless_call;
  volatile int sum = pointer(through_bare);
  return sum;
}
#endif

KEPT static int jumping_frameless(void) {
  NOTE(3);
  volatile int sum = frameless_jump(through_bare);
  return sum;
}

static void walks(bool with_registers) {
  knows_registers = with_registers;
  const char *how = with_registers ? "all registers" : "the stack pointer alone";
  char name[100];
  expected_count = 3;
  outer(1);
  snprintf(name, sizeof name, "calls, by %s", how);
  judge(name, holds_expected() && walk.ending == stallwatch_walk_complete && notes_calls());

  expected_count = 4;
  sized(100);
  snprintf(name, sizeof name, "a frame of unknown size, by %s", how);
  judge(name, holds_expected() && walk.ending == stallwatch_walk_complete);

  expected_count = 3;
  recursive(300);
  snprintf(name, sizeof name, "a recursion of 300, by %s", how);
  judge(name, holds_expected() && walk.count == stallwatch_maximum_frames && walk.cut >= 170 && notes_calls());

  bare_outer(through_bare);
  snprintf(name, sizeof name, "functions without tables, by %s", how);
  judge(name, holds_expected() && walk.ending == stallwatch_walk_complete);

  expected_count = 4;
  calling_frameless();
  snprintf(name, sizeof name, "functions without tables and frame records, by %s", how);
  judge(name, holds_expected() && walk.ending == stallwatch_walk_complete);

#if defined(__x86_64__)
  pointing_frameless();
  snprintf(name, sizeof name, "one that a pointer calls, by %s", how);
  judge(name, holds_expected() && walk.ending == stallwatch_walk_complete);

  uint32_t through_one = walk.count;
  calling_pointing();
  snprintf(name, sizeof name, "one that calls its neighbour by a pointer, by %s", how);
  judge(name, holds_expected() && walk.ending == stallwatch_walk_complete && walk.count == through_one);
#endif

  jumping_frameless();
  snprintf(name, sizeof name, "one that only jumps to the next, by %s", how);
  judge(name, holds_expected() && walk.ending == stallwatch_walk_complete);
  expected_count = 3;

  // Where functions with tables leave the frame pointer alone, and it is all that tells the next frame.
  if (!with_registers) return;
  bare_sized(through_bare, 20000);
  judge("a function without tables, by its frame pointer", holds_expected() && walk.ending == stallwatch_walk_complete);
}

#if defined(__x86_64__)

/// Instructions of bare_leaf at which its caller was not found, and all of them.
static unsigned lost_at, stepped_over;
KEPT static int stepping(void);

/// After each instruction, while the processor steps.
static void step(int number, siginfo_t *info, void *context) {
  uint64_t at = (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP], begin = plain((const void *)bare_leaf);
  if (at < begin || at >= plain((const void *)bare_outer)) return;
  capture(number, info, context);
  stepped_over++;
  uint64_t caller = walk.count > 1 ? walk.frames[1] : 0, function = plain((const void *)stepping);
  if (caller < function || caller > function + 1000 || !holds_expected()) lost_at++;
}

KEPT static int stepping(void) {
  NOTE(0);
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
  int sum = bare_leaf(1, 2);
  __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
  return sum;
}

static void steps(void) {
  struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
  knows_registers = true;
  expected_count = 1;
  stepping();
  judge("every instruction of a function without tables", stepped_over > 5 && lost_at == 0);
}

#else

/// An emulator does not step: the instructions stand here.
static void steps(void) {
  static const uint32_t code[] = {
    0xd503201f,  // nop
    0xa9be7bfd,  // stp x29, x30, [sp, #-32]!
    0x910003fd,  // mov x29, sp
    0xd503201f,  // nop
    0xa8c27bfd,  // ldp x29, x30, [sp], #32
    0xd65f03c0,  // ret
  };
  static const int pushed[] = {-1, 0, 32, -1, -1, 0};
  bool passed = true;
  for (unsigned place = 1; place < 6; place++) {
    uint64_t bytes = 0;
    bool is_edge = stands_at_edge((uint64_t)(uintptr_t)(code + place), &bytes);
    passed = passed && is_edge == (pushed[place] >= 0) && (!is_edge || bytes == (uint64_t)pushed[place]);
  }
  expected_count = 0;
  judge("the edges of a function without tables", passed);
}

#endif

/// Memory that ends in the middle of an instruction, and addresses where nothing is.
static void edges(void) {
  uint8_t code[16];
  memset(code, 0xff, sizeof code);
  for (int byte = 0; byte < 256; byte++) {
    memset(code, byte, sizeof code);
    follows_call((uint64_t)(uintptr_t)code + sizeof code);
    // An indirect call's two bytes, with a third that lies beyond them.
    code[13] = 0xff, code[14] = 0xff, code[15] = 0x14;
    follows_call((uint64_t)(uintptr_t)code + sizeof code);
    uint64_t function;
    judge_call((uint64_t)(uintptr_t)code + sizeof code, (uint64_t)(uintptr_t)code, &function);
  }
  uint64_t ignored;
  uint8_t byte;
  bool passed = !follows_call(64) && !find_record_by_prologue(64, 0, &ignored) && !stands_at_edge(64, &ignored) &&
                judge_call(64, 64, &ignored) == call_of_unknown && stallwatch_copy_memory(1, &byte, 1) == 0 &&
                !read_frame_rule(64, 64).is_known;
  uint64_t value = 42, copy = 0;
  passed = passed && stallwatch_copy_memory((uint64_t)(uintptr_t)&value, &copy, sizeof copy) == sizeof copy && copy == 42;
  walk.count = 0;
  expected_count = 0;
  judge("addresses where nothing is", passed);
}

int main(void) {
  struct sigaction action = {.sa_sigaction = capture, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  struct sigaction nested = {.sa_handler = in_handler};
  sigaction(SIGUSR2, &nested, NULL);
  walker = stallwatch_walker_create();
  extern void *__libc_stack_end;
  stack_end = (uint64_t)(uintptr_t)__libc_stack_end + 16;
  walks(true);
  walks(false);
  knows_registers = true;
  // An emulator brings the interrupted thread back by code of its own, of which no tables speak.
  if (getenv("UNWINDER_EMULATED") == NULL) {
    expected_count = 4;
    raising();
    judge("a stack through a signal's handler", holds_expected());
  } else {
    puts("skip  a stack through a signal's handler: the emulator's return from it has no tables");
  }
  steps();
  edges();
  stallwatch_walker_destroy(walker);
  return failures == 0 ? 0 : 1;
}
