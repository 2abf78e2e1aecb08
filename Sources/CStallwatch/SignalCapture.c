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
#include "SafeMemory.h"

// A request's life is one word: its sequence number above its state, so that a handler which comes late, or twice, sees
// that it is not the one that is waited for.
//
//   idle ──ask──▶ asked ──handler──▶ telling ──handler──▶ told ──release──▶ idle
//                   └──────release──▶ idle        └──(abandoned)──▶ told, found and freed by a later ask
//
// Only the asking thread moves a request out of idle and told; only a handler moves it out of asked and telling, but for
// the withdrawal of an asked one, which is a compare-and-swap against the handler's.
enum { state_idle, state_asked, state_telling, state_told, state_bits = 2, state_mask = 3 };

typedef struct {
  _Atomic uint32_t word;
  /// The kernel's number of the CPU-clock timer; asking thread only.
  int timer;
  /// Whether the asker has given it up while a handler was writing; asking thread only.
  bool is_abandoned;
  stallwatch_answer answer;
  uint8_t stack[stallwatch_copied_stack];
} request_slot;

/// Marks the values that our timers carry among those of others.
static const uint64_t value_mark = UINT64_C(0x5354414c) << 32;

/// Written before the handler is installed, never changed afterwards and never given back: a handler may always be late.
static request_slot *requests;
static struct sigaction found_disposition;

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

/// Runs on the thread that was asked. Async-signal-safe: C statics, atomics and two system calls; nothing is allocated, no
/// lock is taken, no other thread is waited for. Nor is the asker woken: the kernel might run it in this thread's place.
static void tell(int signal, siginfo_t *info, void *context) {
  (void)signal;
  // Signals of others than our timers: the program had the default disposition, so none are expected, and ending the
  // program for one would be worse than losing it.
  if (info->si_code != SI_TIMER) return;
  uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
  uint64_t index = value & 0xff;
  if ((value & ~UINT64_C(0xffffffff)) != value_mark || index >= stallwatch_request_count) return;
  int saved_errno = errno;
  uint64_t entered = monotonic_now();
  request_slot *slot = &requests[index];
  uint32_t sequence = (uint32_t)(value >> 8 & 0xffffff);
  uint32_t expected = sequence << state_bits | state_asked;
  if (atomic_compare_exchange_strong(&slot->word, &expected, sequence << state_bits | state_telling)) {
    if (slot->answer.thread_id != stallwatch_thread_id()) {
      // Cannot be, as the kernel sends it to the timer's thread; but an answer of another thread would be a lie.
      atomic_store(&slot->word, sequence << state_bits | state_asked);
      errno = saved_errno;
      return;
    }
    read_registers(context, &slot->answer.registers);
    uint64_t stack_pointer = slot->answer.registers.value[register_sp];
    slot->answer.stack.start = stack_pointer;
    slot->answer.stack.bytes = slot->stack;
    slot->answer.stack.length = stallwatch_copy_memory(stack_pointer, slot->stack, sizeof slot->stack);
    slot->answer.taken_ns = entered;
    slot->answer.paused_ns = monotonic_now() - entered;
    atomic_store(&slot->word, sequence << state_bits | state_told);
  }
  errno = saved_errno;
}

static bool is_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == tell;
}

stallwatch_sigprof_owner stallwatch_find_sigprof_owner(void) {
  struct itimerval timer;
  if (getitimer(ITIMER_PROF, &timer) == 0 && (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0))
    return stallwatch_sigprof_timed;
  struct sigaction action;
  if (sigaction(SIGPROF, NULL, &action) != 0) return stallwatch_sigprof_handled;
  if (is_ours(&action)) return stallwatch_sigprof_ours;
  bool is_default = !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
  return is_default ? stallwatch_sigprof_free : stallwatch_sigprof_handled;
}

bool stallwatch_install_sigprof(void) {
  stallwatch_sigprof_owner owner = stallwatch_find_sigprof_owner();
  if (owner != stallwatch_sigprof_free) return owner == stallwatch_sigprof_ours;
  if (requests == NULL) {
    void *memory = mmap(NULL, stallwatch_request_count * sizeof(request_slot), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    requests = memory;
  }
  struct sigaction action = {.sa_sigaction = tell};
  // On the thread's alternate stack if it has one: its own may be tiny, or full.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  // No other handler runs in the middle of ours, so the thread is held no longer than ours takes.
  sigfillset(&action.sa_mask);
  if (sigaction(SIGPROF, &action, &found_disposition) != 0) return false;
  if ((found_disposition.sa_flags & SA_SIGINFO) || found_disposition.sa_handler != SIG_DFL) {
    // Somebody was faster.
    sigaction(SIGPROF, &found_disposition, NULL);
    return false;
  }
  return true;
}

void stallwatch_remove_sigprof(void) {
  for (int request = 0; request < stallwatch_request_count && requests != NULL; request++) stallwatch_release(request);
  struct sigaction action;
  if (sigaction(SIGPROF, NULL, &action) != 0 || !is_ours(&action)) return;
  // The default disposition ends the program, so nothing may be on its way: ignoring a signal discards what is pending, on
  // every thread (POSIX, sigaction).
  action = (struct sigaction){.sa_handler = SIG_IGN};
  sigaction(SIGPROF, &action, NULL);
  sigaction(SIGPROF, &found_disposition, NULL);
}

static uint32_t state_of(const request_slot *slot) { return atomic_load(&slot->word) & state_mask; }

static uint32_t next_word(const request_slot *slot, uint32_t state) {
  return ((atomic_load(&slot->word) >> state_bits) + 1) << (state_bits + 8) >> 8 | state;
}

/// Starts a timer that goes off at the first tick at which the thread runs.
static stallwatch_ask_result start_timer(request_slot *slot, uint64_t thread_id, uint64_t value) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event.sigev_value.sival_ptr = (void *)(uintptr_t)value;
  event._sigev_un._tid = (pid_t)thread_id;
  // The clock of a thread by its number: what pthread_getcpuclockid makes of a pthread_t. The kernel ties the timer to the
  // thread itself, so a number that is used again is no danger.
  clockid_t clock = (clockid_t)((~(unsigned)thread_id << 3) | 6);
  if (syscall(SYS_timer_create, clock, &event, &slot->timer) != 0)
    return errno == EINVAL || errno == ESRCH ? stallwatch_ask_gone : stallwatch_ask_refused;
  struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
  if (syscall(SYS_timer_settime, slot->timer, 0, &soon, NULL) == 0) return stallwatch_asked;
  stallwatch_ask_result result = errno == ESRCH ? stallwatch_ask_gone : stallwatch_ask_refused;
  syscall(SYS_timer_delete, slot->timer);
  return result;
}

stallwatch_ask_result stallwatch_ask(uint64_t thread_id, int *request) {
  for (int index = 0; index < stallwatch_request_count; index++) {
    request_slot *slot = &requests[index];
    if (slot->is_abandoned && state_of(slot) == state_told) {
      slot->is_abandoned = false;
      atomic_store(&slot->word, next_word(slot, state_idle));
    }
    if (slot->is_abandoned || state_of(slot) != state_idle) continue;
    uint32_t word = next_word(slot, state_asked);
    slot->answer.thread_id = thread_id;
    // Before the timer: its handler may run at once.
    atomic_store(&slot->word, word);
    uint64_t value = value_mark | (uint64_t)(word >> state_bits & 0xffffff) << 8 | (uint64_t)index;
    stallwatch_ask_result result = start_timer(slot, thread_id, value);
    if (result != stallwatch_asked) atomic_store(&slot->word, next_word(slot, state_idle));
    *request = index;
    return result;
  }
  return stallwatch_ask_full;
}

stallwatch_request_state stallwatch_find_request_state(int request) {
  switch (state_of(&requests[request])) {
    case state_idle: return stallwatch_request_unknown;
    case state_told: return stallwatch_request_answered;
    default: return stallwatch_request_open;
  }
}

bool stallwatch_take_answer(int request, stallwatch_answer *answer) {
  request_slot *slot = &requests[request];
  if (slot->is_abandoned || state_of(slot) != state_told) return false;
  *answer = slot->answer;
  return true;
}

void stallwatch_release(int request) {
  request_slot *slot = &requests[request];
  uint32_t word = atomic_load(&slot->word);
  if ((word & state_mask) == state_idle || slot->is_abandoned) return;
  syscall(SYS_timer_delete, slot->timer);
  uint32_t idle = next_word(slot, state_idle);
  if ((word & state_mask) == state_asked && atomic_compare_exchange_strong(&slot->word, &word, idle)) return;
  // The handler is writing, or has written just now.
  if (state_of(slot) == state_told) atomic_store(&slot->word, idle);
  else slot->is_abandoned = true;
}
#endif
