#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "KeptFile.h"

/// What the kernel says of a thread at one moment.
typedef enum {
  /// On a processor, or waiting for one.
  stallwatch_thread_runnable,
  /// Not runnable: in a system call; if ``number`` is -1, in a page fault or stopped.
  stallwatch_thread_blocked,
  /// There is no such thread in this process.
  stallwatch_thread_gone,
  /// The kernel does not say: there is no such file, or the process hides itself.
  stallwatch_thread_hidden,
} stallwatch_thread_state;

/// A look at a thread. Only a blocked thread has the fields after `state`.
typedef struct {
  stallwatch_thread_state state;
  /// The system call's number; -1 outside of one.
  int64_t number;
  /// Its arguments; 0 outside of one.
  uint64_t arguments[6];
  uint64_t stack_pointer;
  uint64_t program_counter;
} stallwatch_thread_snapshot;

/// Looks at thread `thread_id` of this process without disturbing it. Takes about 4 µs; up to a tick when the
/// thread is just about to block. Any thread but that one.
stallwatch_thread_snapshot stallwatch_look_at_thread(uint64_t thread_id);

/// The same for a thread of another process, whose calls the kernel may hide.
stallwatch_thread_snapshot stallwatch_look_at_other_thread(uint64_t process, uint64_t thread_id);

enum {
  /// What a thread's "syscall" file says is shorter.
  stallwatch_longest_call = 256,
};

/// A thread's files in /proc, kept open between looks while a stall goes on: opening them takes most of a look.
typedef struct {
  uint64_t thread_id;
  stallwatch_kept_file system_call;
  stallwatch_kept_file times;
  /// Whether ``times`` is to be opened once it is asked for: of a thread that does not run, it hardly ever is.
  bool keeps_times;
  /// What the first file said when it was last read.
  char said[stallwatch_longest_call];
  /// Whether that was in this look, which so need not read it again.
  bool is_fresh;
} stallwatch_kept_thread;

/// A thread whose files are not open.
stallwatch_kept_thread stallwatch_thread_without_files(uint64_t thread_id);

/// Opens a thread's files as far as that is possible, the second when it is asked for. Any thread; close them with stallwatch_release_thread().
void stallwatch_keep_thread(stallwatch_kept_thread *kept);
void stallwatch_release_thread(stallwatch_kept_thread *kept);

/// Like stallwatch_look_at_thread(), in a microsecond while the file is open.
stallwatch_thread_snapshot stallwatch_look_at_kept_thread(stallwatch_kept_thread *kept);

/// Whether the kernel says what it said the last time, and that the thread is blocked. If not, what it says is kept for
/// the next call of stallwatch_look_at_kept_thread(), unless `is_fresh` is taken back.
bool stallwatch_kept_thread_stands(stallwatch_kept_thread *kept);

/// Like stallwatch_thread_run_delay(), in half a microsecond while the file is open.
bool stallwatch_kept_thread_run_delay(stallwatch_kept_thread *kept, uint64_t *run_delay);

/// Whether two snapshots of a blocked thread are the same, so that it has not moved between them.
bool stallwatch_is_same_snapshot(const stallwatch_thread_snapshot *one, const stallwatch_thread_snapshot *other);

/// Whether two snapshots show the same system call with the same arguments.
bool stallwatch_is_same_call(const stallwatch_thread_snapshot *one, const stallwatch_thread_snapshot *other);

/// The state letter of proc(5) (`R`, `S`, `D`, `T`, …), or 0 when there is no such thread; with the standard
/// signals that the thread blocks, bit n − 1 for signal n.
char stallwatch_thread_letter(uint64_t thread_id, uint64_t *blocked_signals);

/// CPU time of a thread of this process in nanoseconds, exact even while it runs; 0 without such a thread.
uint64_t stallwatch_thread_cpu(uint64_t thread_id);

/// How long a thread was runnable without a processor since it began, in nanoseconds, up to when it last got
/// one; false where the kernel does not say.
bool stallwatch_thread_run_delay(uint64_t thread_id, uint64_t *run_delay);
