#pragma once
#include <stdbool.h>
#include <stdint.h>

/// A descriptor of ours that stays open among the program's. The program may close it at any time and get its number for
/// a file of its own, so each use asks first whether it is still the same file.
typedef struct {
  int descriptor;
  uint64_t device;
  uint64_t inode;
  /// The flags by which it was opened, which no other file has; 0 where the system did not keep them.
  int flags;
  /// How many files had been kept when it was last found to be this one.
  uint64_t kept_before;
} stallwatch_kept_file;

enum {
  /// Kept files have this number or a higher one, so that the program's own files get the numbers that they would get
  /// without us; and one below the next …
  stallwatch_least_kept_descriptor = 48,
  /// … so that the kernel need not enlarge the process's table, for which threads that open files would wait.
  stallwatch_kept_descriptor_limit = 64,
  /// The least limit of descriptors that leaves the program enough beside kept files.
  stallwatch_least_descriptor_limit = 128,
};

/// A kept file that is not there.
static const stallwatch_kept_file stallwatch_no_file = {.descriptor = -1};

/// Opens a file to be kept, for reading. No file where there is none, or no number for it.
stallwatch_kept_file stallwatch_keep_file(const char *path);

/// Whether the descriptor is still this file. Forgets it if not.
bool stallwatch_is_still_kept(stallwatch_kept_file *file);

/// Closes it if it is still ours.
void stallwatch_release_file(stallwatch_kept_file *file);
