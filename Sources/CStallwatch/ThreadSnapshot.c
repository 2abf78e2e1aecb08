#ifdef __linux__
#define _GNU_SOURCE
#include "ThreadSnapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// Reads a small file; returns its length, or a negated errno.
static long read_small_file(const char *path, char *text, size_t capacity) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  ssize_t length = read(file, text, capacity - 1);
  int reason = errno;
  close(file);
  if (length < 0) return -reason;
  text[length] = '\0';
  return length;
}

/// Reads a small file of a thread of this process; returns its length, or a negated errno.
static long read_thread_file(uint64_t thread_id, const char *name, char *text, size_t capacity) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%llu/%s", (unsigned long long)thread_id, name);
  return read_small_file(path, text, capacity);
}

static const char running[] = "running";

/// What the text of a thread's "syscall" file says: "running", or number, six arguments, SP and PC, or -1, SP and PC;
/// all but the number are hexadecimal.
static stallwatch_thread_snapshot parse_system_call(const char *text) {
  stallwatch_thread_snapshot snapshot = {.state = stallwatch_thread_hidden, .number = -1};
  if (strncmp(text, running, sizeof running - 1) == 0) {
    snapshot.state = stallwatch_thread_runnable;
    return snapshot;
  }
  char *at;
  snapshot.number = strtoll(text, &at, 10);
  uint64_t words[8] = {0};
  int count = 0;
  while (count < 8 && *at == ' ') words[count++] = strtoull(at, &at, 16);
  if (count != 2 && count != 8) return snapshot;
  if (count == 8) memcpy(snapshot.arguments, words, sizeof snapshot.arguments);
  snapshot.stack_pointer = words[count - 2];
  snapshot.program_counter = words[count - 1];
  snapshot.state = stallwatch_thread_blocked;
  return snapshot;
}

stallwatch_thread_snapshot stallwatch_look_at_thread(uint64_t thread_id) {
  stallwatch_thread_snapshot snapshot = {.state = stallwatch_thread_hidden, .number = -1};
  char text[256];
  long length = read_thread_file(thread_id, "syscall", text, sizeof text);
  if (length > 0) return parse_system_call(text);
  // A kernel without this file still has the thread's directory.
  uint64_t ignored;
  if ((length == -ENOENT || length == -ESRCH) && stallwatch_thread_letter(thread_id, &ignored) == 0)
    snapshot.state = stallwatch_thread_gone;
  return snapshot;
}

stallwatch_thread_snapshot stallwatch_look_at_other_thread(uint64_t process, uint64_t thread_id) {
  stallwatch_thread_snapshot snapshot = {.state = stallwatch_thread_hidden, .number = -1};
  char path[64], text[stallwatch_longest_call];
  snprintf(path, sizeof path, "/proc/%llu/task/%llu/syscall", (unsigned long long)process,
           (unsigned long long)thread_id);
  long length = read_small_file(path, text, sizeof text);
  if (length > 0) return parse_system_call(text);
  // ESRCH also where the kernel hides the call of a thread that lives: the caller knows whether its directory is there.
  if (length == -ENOENT) snapshot.state = stallwatch_thread_gone;
  return snapshot;
}

/// The second number of a thread's "schedstat" file.
static bool parse_run_delay(const char *text, uint64_t *run_delay) {
  const char *at = strchr(text, ' ');
  if (at == NULL) return false;
  *run_delay = strtoull(at, NULL, 10);
  return true;
}

static stallwatch_kept_file keep_thread_file(uint64_t thread_id, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%llu/%s", (unsigned long long)thread_id, name);
  return stallwatch_keep_file(path);
}

/// Reads a kept file anew; returns its length, or 0 or less if it is not there.
static long read_kept_file(stallwatch_kept_file *file, char *text, size_t capacity) {
  if (!stallwatch_is_still_kept(file)) return 0;
  // A read from the start makes the kernel look again.
  ssize_t length = pread(file->descriptor, text, capacity - 1, 0);
  text[length > 0 ? length : 0] = '\0';
  return length;
}

stallwatch_kept_thread stallwatch_thread_without_files(uint64_t thread_id) {
  return (stallwatch_kept_thread){
    .thread_id = thread_id, .system_call = stallwatch_no_file, .times = stallwatch_no_file};
}

void stallwatch_keep_thread(stallwatch_kept_thread *kept) {
  stallwatch_release_thread(kept);
  kept->system_call = keep_thread_file(kept->thread_id, "syscall");
  kept->keeps_times = true;
}

void stallwatch_release_thread(stallwatch_kept_thread *kept) {
  stallwatch_release_file(&kept->system_call);
  stallwatch_release_file(&kept->times);
  kept->keeps_times = false;
}

/// Reads what a thread waits in; 0 or less if that cannot be read.
static long read_call(stallwatch_kept_thread *kept, char text[stallwatch_longest_call]) {
  long length = read_kept_file(&kept->system_call, text, stallwatch_longest_call);
  return length > 0 ? length : read_thread_file(kept->thread_id, "syscall", text, stallwatch_longest_call);
}

stallwatch_thread_snapshot stallwatch_look_at_kept_thread(stallwatch_kept_thread *kept) {
  bool is_there = kept->is_fresh || read_call(kept, kept->said) > 0;
  kept->is_fresh = false;
  if (is_there) return parse_system_call(kept->said);
  kept->said[0] = '\0';
  return stallwatch_look_at_thread(kept->thread_id);
}

bool stallwatch_kept_thread_stands(stallwatch_kept_thread *kept) {
  char text[stallwatch_longest_call];
  if (read_call(kept, text) <= 0) return false;
  if (strcmp(text, kept->said) == 0 && strncmp(text, running, sizeof running - 1) != 0) return true;
  memcpy(kept->said, text, sizeof text);
  kept->is_fresh = true;
  return false;
}

bool stallwatch_kept_thread_run_delay(stallwatch_kept_thread *kept, uint64_t *run_delay) {
  char text[128];
  if (kept->keeps_times) kept->times = keep_thread_file(kept->thread_id, "schedstat");
  kept->keeps_times = false;
  if (read_kept_file(&kept->times, text, sizeof text) > 0) return parse_run_delay(text, run_delay);
  return stallwatch_thread_run_delay(kept->thread_id, run_delay);
}

bool stallwatch_is_same_call(const stallwatch_thread_snapshot *one, const stallwatch_thread_snapshot *other) {
  return one->number == other->number && memcmp(one->arguments, other->arguments, sizeof one->arguments) == 0;
}

bool stallwatch_is_same_snapshot(const stallwatch_thread_snapshot *one, const stallwatch_thread_snapshot *other) {
  return one->state == stallwatch_thread_blocked && other->state == one->state && stallwatch_is_same_call(one, other) &&
         one->stack_pointer == other->stack_pointer && one->program_counter == other->program_counter;
}

char stallwatch_thread_letter(uint64_t thread_id, uint64_t *blocked_signals) {
  char text[1024];
  *blocked_signals = 0;
  if (read_thread_file(thread_id, "stat", text, sizeof text) <= 0) return 0;
  // The name in brackets may contain anything, so count fields from the last bracket; the state is the third.
  char *at = strrchr(text, ')');
  if (at == NULL || at[1] != ' ') return 0;
  char letter = at[2];
  // Field 32 is the mask of blocked signals up to bit 31, which covers all standard signals.
  at += 2;
  for (int field = 3; field < 32 && at != NULL; field++) at = strchr(at + 1, ' ');
  if (at != NULL) *blocked_signals = strtoull(at, NULL, 10);
  return letter == 'Z' || letter == 'X' ? 0 : letter;
}

uint64_t stallwatch_thread_cpu(uint64_t thread_id) {
  // The clock of a thread by its ID, as pthread_getcpuclockid derives it from a pthread_t.
  clockid_t clock = (clockid_t)((~(unsigned)thread_id << 3) | 6);
  struct timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool stallwatch_thread_run_delay(uint64_t thread_id, uint64_t *run_delay) {
  char text[128];
  return read_thread_file(thread_id, "schedstat", text, sizeof text) > 0 && parse_run_delay(text, run_delay);
}
#endif
