#pragma once

#include <stdint.h>
#include <sys/types.h>

// A process of its own that turns functions' symbols into source form.
//
// Demanglers write a name out in full however often it refers to its own parts: 220 characters can ask for
// gigabytes, and only a demangler could tell which do. So it runs where the kernel bounds memory and time.

/// How to write a name.
enum {
  /// As a person reads it: Swift without modules, C++ in full.
  stallwatch_name_readable = 0,
  /// Swift with all modules and types; any other name is unknown.
  stallwatch_name_full = 1,
};

/// The bounds of the process.
typedef struct {
  /// Bytes of address space beyond those that it begins with.
  uint64_t memory;
  /// Milliseconds of processor time for one name, under 1,000.
  uint32_t processor_milliseconds;
  /// Seconds to wait for an answer, on a machine that has no processor free.
  uint32_t patience_seconds;
  /// The most bytes of a name, and of its text.
  uint32_t longest;
} stallwatch_demangler_limits;

/// A running process. One thread at a time may use it.
typedef struct {
  pid_t process;
  /// Names go out here, and answers come in.
  int channel;
  stallwatch_demangler_limits limits;
} stallwatch_demangler;

/// The answer for a name.
typedef struct {
  /// Bytes of the text; 0 when no known language has the name, or its text is too long.
  uint32_t length;
  /// 1 when the function is glue that the Swift compiler made around another function, otherwise 0.
  uint32_t is_thunk;
} stallwatch_demangled;

/// Starts a process: a copy of this one that does nothing else, has none of its files and ends with it.
/// Returns 0, or -1 if it cannot.
int stallwatch_demangler_start(stallwatch_demangler *demangler, stallwatch_demangler_limits limits);

/// Asks for a name of at most `longest` bytes; `text` has room for as many. Returns 0, or -1 if no answer
/// came: the name exceeded a bound, and the process is of no more use. One thread at a time.
int stallwatch_demangler_ask(const stallwatch_demangler *demangler, uint32_t style, const void *name, uint32_t length,
                             void *text, stallwatch_demangled *answer);

/// Ends the process and waits until it is gone. Returns the most memory that it had resident, in bytes.
uint64_t stallwatch_demangler_end(stallwatch_demangler *demangler);
