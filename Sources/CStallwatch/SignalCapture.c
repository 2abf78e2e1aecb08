#ifdef __linux__
#define _GNU_SOURCE
#include "SignalCapture.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "CStallwatch.h"
#include "FrameRule.h"

// Older C libraries have the field, but no name for it.
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

// A request's life is one word: its sequence number above its state, so that a handler that comes late, or
// twice, sees that its request is over.
//
//   idle ──ask──▶ asked ──handler──▶ answering ──handler──▶ answered ──release──▶ idle
//                   └──release──▶ idle  └──release──▶ given up ──handler──▶ idle
//
// From answered it may also go back to asked, with the same number: its timer, which fires once, has fired.
//
// Every step is a compare-and-swap: of those who try one at the same time, one succeeds.
enum { state_idle, state_asked, state_answering, state_answered, state_given_up, state_bits = 3, state_mask = 7 };

/// Sequence numbers have 24 bits, because they share a timer's value with the mark and the request's index.
enum { sequence_mask = 0xffffff };

typedef struct {
  _Atomic uint32_t word;
  /// The kernel's ID of the CPU-clock timer; used on the asking thread only.
  int timer;
  /// Where the thread's stack lies; written before the timer starts.
  stallwatch_stack_bounds bounds;
  stallwatch_answer answer;
  uint8_t stack[stallwatch_copied_stack];
} request_slot;

const int stallwatch_signals[stallwatch_signal_count] = {SIGURG, SIGPROF};

/// Distinguishes the values of our timers from those of others.
static const uint64_t value_mark = UINT64_C(0x5354414c) << 32;

/// The smallest page on any system: a larger page that holds an address contains this one.
static const uint64_t smallest_page = 4096;

/// Written before the handler is installed, then never changed or freed: a handler may always be late.
static request_slot *requests;
/// By index in `stallwatch_signals`.
static struct sigaction found_dispositions[stallwatch_signal_count];

static uint64_t monotonic_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void read_registers(const ucontext_t *context, stallwatch_registers *registers) {
#if defined(__aarch64__)
  for (unsigned column = 0; column <= register_lr; column++)
    registers->value[column] = context->uc_mcontext.regs[column];
  registers->value[register_sp] = context->uc_mcontext.sp;
  registers->program_counter = context->uc_mcontext.pc;
#else
  // In the order of their DWARF numbers.
  static const int places[stallwatch_register_count] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
    REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
  };
  for (unsigned column = 0; column < stallwatch_register_count; column++)
    registers->value[column] = (uint64_t)context->uc_mcontext.gregs[places[column]];
  registers->program_counter = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#endif
  registers->known = ((uint64_t)1 << stallwatch_register_count) - 1;
}

/// How many bytes can be read from `stack_pointer` on without asking the kernel: up to the end of the
/// thread's own stack, or of the page in use.
static size_t readable_length(uint64_t stack_pointer, const stallwatch_stack_bounds *bounds, uint64_t thread_pointer,
                              bool *is_within) {
  *is_within = stack_pointer >= bounds->low && stack_pointer < bounds->high &&
               (bounds->thread_pointer == 0 || bounds->thread_pointer == thread_pointer);
  // At the first byte of a page nothing shows that the page is in use.
  uint64_t end = *is_within ? bounds->high : (stack_pointer + smallest_page - 1) & ~(smallest_page - 1);
  uint64_t length = end - stack_pointer;
  return (length < stallwatch_copied_stack ? length : stallwatch_copied_stack) & ~(uint64_t)7;
}

/// Copies by volatile loads: no sanitizer may check what is copied, and no library's memcpy may run here.
__attribute__((no_sanitize("address", "thread"))) static void copy_stack(uint64_t from, uint8_t *into, size_t length) {
  const volatile uint64_t *words = (const volatile uint64_t *)(uintptr_t)from;
  uint64_t *copies = (uint64_t *)(void *)into;
  for (size_t place = 0; place < length / 8; place++) copies[place] = words[place];
}

/// After a handler has written its answer, or not: returns the request to its asker, or frees it if given up.
static void finish(request_slot *slot, uint32_t sequence, uint32_t state) {
  uint32_t answering = sequence << state_bits | state_answering;
  if (atomic_compare_exchange_strong(&slot->word, &answering, sequence << state_bits | state)) return;
  atomic_store(&slot->word, sequence << state_bits | state_idle);
}

/// Runs on the thread that was asked. Async-signal-safe: C statics, atomics, the clock and the thread's ID;
/// no allocation, no lock, no memory from the kernel. It does not wake the asker either: the kernel might run
/// that in this thread's place.
__attribute__((no_sanitize("address", "thread"))) static void handle(int signal, siginfo_t *info, void *context) {
  (void)signal;
  // Not from one of our timers. The program had the default disposition and so expects no such signal; losing
  // a SIGPROF is better than letting it end the program.
  if (info->si_code != SI_TIMER) return;
  uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
  uint64_t index = value & 0xff;
  if ((value & ~UINT64_C(0xffffffff)) != value_mark || index >= stallwatch_request_count) return;
  int saved_errno = errno;
  uint64_t entered = monotonic_now();
  request_slot *slot = &requests[index];
  uint32_t sequence = (uint32_t)(value >> 8 & sequence_mask);
  uint32_t expected = sequence << state_bits | state_asked;
  if (atomic_compare_exchange_strong(&slot->word, &expected, sequence << state_bits | state_answering)) {
    if (slot->answer.thread_id != stallwatch_thread_id()) {
      // Should not happen, as the kernel signals the timer's thread; another thread's answer would be false.
      finish(slot, sequence, state_asked);
    } else {
      read_registers(context, &slot->answer.registers);
      uint64_t stack_pointer = (slot->answer.registers.value[register_sp] + 7) & ~(uint64_t)7;
      slot->answer.thread_pointer = stallwatch_thread_pointer();
      slot->answer.stack.start = stack_pointer;
      slot->answer.stack.bytes = slot->stack;
      slot->answer.stack.length = readable_length(stack_pointer, &slot->bounds, slot->answer.thread_pointer,
                                                  &slot->answer.is_within_bounds);
      copy_stack(stack_pointer, slot->stack, slot->answer.stack.length);
      slot->answer.taken_ns = entered;
      slot->answer.paused_ns = monotonic_now() - entered;
      finish(slot, sequence, state_answered);
    }
  }
  errno = saved_errno;
}

static bool is_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == handle;
}

static bool is_default(const struct sigaction *action) {
  return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

stallwatch_signal_owner stallwatch_find_signal_owner(stallwatch_signal which) {
  struct itimerval timer;
  if (which == stallwatch_profiling_signal && getitimer(ITIMER_PROF, &timer) == 0 &&
      (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0))
    return stallwatch_signal_handled;
  struct sigaction action;
  if (sigaction(stallwatch_signals[which], NULL, &action) != 0) return stallwatch_signal_handled;
  if (is_ours(&action)) return stallwatch_signal_ours;
  return is_default(&action) ? stallwatch_signal_free : stallwatch_signal_handled;
}

bool stallwatch_install_signal(stallwatch_signal which) {
  stallwatch_signal_owner owner = stallwatch_find_signal_owner(which);
  if (requests == NULL) {
    void *memory = mmap(NULL, stallwatch_request_count * sizeof(request_slot), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    requests = memory;
  }
  if (owner != stallwatch_signal_free) return owner == stallwatch_signal_ours;
  struct sigaction action = {.sa_sigaction = handle}, found;
  // On the thread's alternate stack if it has one, because its own may be tiny or full.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  // No other handler interrupts ours, so the thread is paused no longer than ours takes.
  sigfillset(&action.sa_mask);
  if (sigaction(stallwatch_signals[which], &action, &found) != 0) return false;
  if (is_default(&found)) {
    found_dispositions[which] = found;
    return true;
  }
  // Another thread was faster.
  sigaction(stallwatch_signals[which], &found, NULL);
  return false;
}

void stallwatch_remove_signal(stallwatch_signal which) {
  int signal = stallwatch_signals[which];
  struct sigaction ignored = {.sa_handler = SIG_IGN}, found;
  if (stallwatch_find_signal_owner(which) != stallwatch_signal_ours) return;
  // SIGPROF's default ends the program, so none may be pending: ignoring a signal discards it on every thread
  // (POSIX, sigaction).
  if (sigaction(signal, &ignored, &found) != 0) return;
  sigaction(signal, is_ours(&found) ? &found_dispositions[which] : &found, NULL);
}

static uint32_t state_of(const request_slot *slot) { return atomic_load(&slot->word) & state_mask; }

/// Maps the errors of timer_create and timer_settime.
static stallwatch_ask_result refusal(int reason) {
  switch (reason) {
    case EINVAL: case ESRCH: return stallwatch_ask_gone;
    case EAGAIN: case ENOMEM: return stallwatch_ask_later;
    default: return stallwatch_ask_refused;
  }
}

/// Lets a timer fire at the first tick at which its thread runs. Deletes it where that fails.
static stallwatch_ask_result arm_timer(request_slot *slot) {
  struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
  if (syscall(SYS_timer_settime, slot->timer, 0, &soon, NULL) == 0) return stallwatch_asked;
  stallwatch_ask_result result = refusal(errno);
  syscall(SYS_timer_delete, slot->timer);
  return result;
}

/// Makes and arms a timer of the thread.
static stallwatch_ask_result start_timer(request_slot *slot, uint64_t thread_id, int signal, uint64_t value) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_value.sival_ptr = (void *)(uintptr_t)value;
  event.sigev_notify_thread_id = (pid_t)thread_id;
  // The clock of a thread by its ID, as pthread_getcpuclockid derives it from a pthread_t. The kernel ties
  // the timer to the thread itself, so a reused ID is no danger.
  clockid_t clock = (clockid_t)((~(unsigned)thread_id << 3) | 6);
  if (syscall(SYS_timer_create, clock, &event, &slot->timer) != 0)
    return refusal(errno);
  return arm_timer(slot);
}

stallwatch_ask_result stallwatch_ask(uint64_t thread_id, stallwatch_signal which, stallwatch_stack_bounds bounds,
                                     int *request) {
  for (int index = 0; index < stallwatch_request_count; index++) {
    request_slot *slot = &requests[index];
    uint32_t word = atomic_load(&slot->word);
    uint32_t sequence = ((word >> state_bits) + 1) & sequence_mask, asked = sequence << state_bits | state_asked;
    if ((word & state_mask) != state_idle || !atomic_compare_exchange_strong(&slot->word, &word, asked)) continue;
    // No handler comes before the timer is started.
    slot->answer.thread_id = thread_id;
    slot->bounds = bounds;
    uint64_t value = value_mark | (uint64_t)sequence << 8 | (uint64_t)index;
    stallwatch_ask_result result = start_timer(slot, thread_id, stallwatch_signals[which], value);
    if (result != stallwatch_asked) atomic_store(&slot->word, sequence << state_bits | state_idle);
    *request = index;
    return result;
  }
  return stallwatch_ask_full;
}

stallwatch_ask_result stallwatch_ask_again(int request) {
  request_slot *slot = &requests[request];
  uint32_t word = atomic_load(&slot->word), sequence = word >> state_bits;
  if ((word & state_mask) != state_answered) return stallwatch_ask_gone;
  // No handler comes before the timer is armed.
  atomic_store(&slot->word, sequence << state_bits | state_asked);
  stallwatch_ask_result result = arm_timer(slot);
  if (result != stallwatch_asked) atomic_store(&slot->word, sequence << state_bits | state_idle);
  return result;
}

stallwatch_request_state stallwatch_find_request_state(int request) {
  switch (state_of(&requests[request])) {
    case state_answered: return stallwatch_request_answered;
    case state_asked: case state_answering: return stallwatch_request_open;
    default: return stallwatch_request_unknown;
  }
}

bool stallwatch_take_answer(int request, stallwatch_answer *answer) {
  request_slot *slot = &requests[request];
  if (state_of(slot) != state_answered) return false;
  *answer = slot->answer;
  return true;
}

void stallwatch_release(int request) {
  request_slot *slot = &requests[request];
  uint32_t word = atomic_load(&slot->word), sequence = word >> state_bits;
  if ((word & state_mask) == state_idle || (word & state_mask) == state_given_up) return;
  syscall(SYS_timer_delete, slot->timer);
  uint32_t asked = sequence << state_bits | state_asked, answering = sequence << state_bits | state_answering;
  if (atomic_compare_exchange_strong(&slot->word, &asked, sequence << state_bits | state_idle)) return;
  // The handler is writing, or has just written.
  if (atomic_compare_exchange_strong(&slot->word, &answering, sequence << state_bits | state_given_up)) return;
  atomic_store(&slot->word, sequence << state_bits | state_idle);
}
#endif
