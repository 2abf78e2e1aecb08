#ifdef __linux__
#define _GNU_SOURCE
#include "RunningSample.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "FrameRule.h"

enum {
  /// In nanoseconds of the thread's CPU time.
  sampling_period = 1000000,
  /// In bytes: room for one record with a whole copy. The kernel wants a power of two of pages.
  ring_size = 128 << 10,
#if defined(__aarch64__)
  sampled_registers = 33,  // x0 to x30, sp, pc
#else
  sampled_registers = 20,
#endif
};

#if defined(__aarch64__)
static const uint64_t register_mask = (UINT64_C(1) << 33) - 1;
#else
// linux/arch/x86/include/uapi/asm/perf_regs.h: ax bx cx dx si di bp sp ip flags cs ss, then fs gs, then r8 to r15.
static const uint64_t register_mask = UINT64_C(0xfff) | UINT64_C(0xff) << 16;
#endif

/// The clock of a thread with its ring of records.
typedef struct {
  int file;
  struct perf_event_mmap_page *header;
  const uint8_t *ring;
} sampling_clock;

static int open_clock(uint64_t thread_id, bool without_kernel) {
  struct perf_event_attr attributes = {
    .type = PERF_TYPE_SOFTWARE, .size = sizeof attributes, .config = PERF_COUNT_SW_CPU_CLOCK,
    .sample_period = sampling_period, .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
    .sample_regs_user = register_mask, .sample_stack_user = stallwatch_most_sampled_stack, .wakeup_events = 1,
    .exclude_kernel = without_kernel, .exclude_hv = 1,
  };
  return (int)syscall(SYS_perf_event_open, &attributes, (int)thread_id, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool begin_clock(uint64_t thread_id, sampling_clock *clock) {
  clock->file = open_clock(thread_id, false);
  // Without more rights (kernel.perf_event_paranoid = 2) only ticks outside the kernel may be seen.
  if (clock->file < 0 && (errno == EACCES || errno == EPERM)) clock->file = open_clock(thread_id, true);
  if (clock->file < 0) return false;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *memory = mmap(NULL, page + ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, clock->file, 0);
  if (memory == MAP_FAILED) {
    int reason = errno;
    close(clock->file);
    errno = reason;
    return false;
  }
  clock->header = memory;
  clock->ring = (const uint8_t *)memory + page;
  return true;
}

static void end_clock(sampling_clock *clock) {
  munmap(clock->header, (size_t)sysconf(_SC_PAGESIZE) + ring_size);
  close(clock->file);
}

/// Copies from the ring, whose end goes on at its start.
static void copy_ring(const sampling_clock *clock, uint64_t from, void *into, size_t length) {
  uint64_t place = from % ring_size, first = ring_size - place < length ? ring_size - place : length;
  memcpy(into, clock->ring + place, first);
  memcpy((uint8_t *)into + first, clock->ring, length - first);
}

static void take_registers(const uint64_t words[sampled_registers], stallwatch_registers *registers) {
#if defined(__aarch64__)
  memcpy(registers->value, words, sizeof registers->value);
  registers->program_counter = words[32];
  registers->known = UINT32_MAX;
#else
  // By their DWARF numbers: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15.
  static const unsigned places[stallwatch_register_count] = {0, 3, 2, 1, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, 19};
  for (unsigned column = 0; column < stallwatch_register_count; column++)
    registers->value[column] = words[places[column]];
  registers->program_counter = words[8];
  registers->known = 0xffff;
#endif
}

/// Takes a record of `size` bytes from `from` on: the registers' kind and values, then the stack's size, its bytes, and
/// how many of these are there. False where it has no registers of a 64-bit program.
static bool take_record(const sampling_clock *clock, uint64_t from, uint64_t size, uint8_t *copy,
                        stallwatch_registers *registers, stallwatch_stack_copy *stack) {
  uint64_t kind, words[sampled_registers], room, filled;
  if (size < sizeof kind + sizeof words + sizeof room) return false;
  copy_ring(clock, from, &kind, sizeof kind);
  if (kind != PERF_SAMPLE_REGS_ABI_64) return false;
  copy_ring(clock, from + sizeof kind, words, sizeof words);
  uint64_t at = sizeof kind + sizeof words;
  copy_ring(clock, from + at, &room, sizeof room);
  at += sizeof room;
  *stack = (stallwatch_stack_copy){.bytes = copy};
  if (room > 0 && room <= stallwatch_most_sampled_stack && size - at >= room + sizeof filled) {
    copy_ring(clock, from + at + room, &filled, sizeof filled);
    stack->length = filled < room ? (size_t)filled : (size_t)room;
    copy_ring(clock, from + at, copy, stack->length);
  }
  take_registers(words, registers);
  stack->start = registers->value[register_sp];
  return true;
}

/// Takes the first sample in the ring, if there is one.
static bool take_sample(sampling_clock *clock, uint8_t *copy, stallwatch_registers *registers,
                        stallwatch_stack_copy *stack) {
  uint64_t head = __atomic_load_n(&clock->header->data_head, __ATOMIC_ACQUIRE), at = clock->header->data_tail;
  bool is_taken = false;
  struct perf_event_header record;
  while (!is_taken && head - at >= sizeof record) {
    copy_ring(clock, at, &record, sizeof record);
    if (record.size < sizeof record || record.size > head - at) break;
    if (record.type == PERF_RECORD_SAMPLE)
      is_taken = take_record(clock, at + sizeof record, record.size - sizeof record, copy, registers, stack);
    at += record.size;
  }
  __atomic_store_n(&clock->header->data_tail, at, __ATOMIC_RELEASE);
  return is_taken;
}

stallwatch_sample_result stallwatch_sample_running(uint64_t thread_id, int patience_ms, uint8_t *copy,
                                                   stallwatch_registers *registers, stallwatch_stack_copy *stack) {
  sampling_clock clock;
  if (!begin_clock(thread_id, &clock)) return stallwatch_sample_refused;
  struct pollfd wait = {.fd = clock.file, .events = POLLIN};
  bool is_taken = poll(&wait, 1, patience_ms) > 0 && take_sample(&clock, copy, registers, stack);
  end_clock(&clock);
  return is_taken ? stallwatch_sample_taken : stallwatch_sample_timed_out;
}
#endif
