#define _GNU_SOURCE
#include "CStallwatch.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

// Smaller than what malloc maps by itself (128 KiB), so that each piece comes from the thread's heap.
enum { piece_size = 120u << 10, piece_count = STALLWATCH_HEAP_RESERVE / piece_size + 1 };

/// Where the calling thread's reserve begins and ends.
static _Thread_local char *reserve_start, *reserve_end;
/// How many filters of system calls the thread had then; -1 when nobody knows.
static _Thread_local int filters = -1;

static bool is_in_reserve(const char *memory) { return memory >= reserve_start && memory < reserve_end; }

/// The whole pages within memory of `size` bytes. malloc keeps its notes of a free piece at both ends of it: 64 bytes
/// at the start are more than those.
static size_t whole_pages(char *memory, size_t size, char **start) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = ((uintptr_t)memory + 64 + page - 1) & ~(page - 1), end = ((uintptr_t)memory + size) & ~(page - 1);
  *start = (char *)first;
  return end > first ? end - first : 0;
}

void stallwatch_reserve_heap(void) {
  // Volatile, or the compiler removes the calls.
  void *volatile pieces[piece_count];
  for (int i = 0; i < piece_count; i++) {
    pieces[i] = malloc(piece_size);
    if (!pieces[i]) return;
  }
  reserve_start = pieces[0];
  reserve_end = pieces[piece_count - 1];
  filters = stallwatch_filters();
  // The last one stays: malloc gives back free memory at a heap's end, and takes it again page by page.
  for (int i = 0; i + 1 < piece_count; i++) free(pieces[i]);
  // What they were cut from is one piece now. Each has left a page behind that malloc had written to.
  size_t size = (size_t)(piece_count - 1) * piece_size;
  char *volatile whole = malloc(size);
  char *start;
  size_t length = whole ? whole_pages(whole, size, &start) : 0;
  if (length && is_in_reserve(whole)) {
    madvise(start, length, MADV_DONTNEED);
    // A huge page would back what is never used.
    madvise(start, length, MADV_NOHUGEPAGE);
  }
  free(whole);
}

/// Free pieces below some pages are not worth the time. Sixteen of the largest, 2 MB, are more than is ever used for a
/// moment but in a storm; after one, what lies beyond them waits for the next.
enum { smallest_given_back = 8u << 10, most_large = 16, most_given_back = 512 };

/// Pieces that are this thread's own until they are freed, whoever shares the heap.
typedef struct {
  int count;
  char *pieces[most_given_back];
} own_pieces;

/// Takes a piece in the reserve, below `end`, and gives its pages back. NULL when there is none; malloc hands out the
/// smallest free piece that is large enough.
static char *give_back(own_pieces *own, size_t size, const char *end) {
  if (own->count == most_given_back) return NULL;
  char *volatile taken = malloc(size);
  char *piece = taken, *start;
  if (!piece || !is_in_reserve(piece) || piece >= end) {
    free(piece);
    return NULL;
  }
  size_t length = whole_pages(piece, size, &start);
  madvise(start, length, MADV_DONTNEED);
  return own->pieces[own->count++] = piece;
}

void stallwatch_give_back_heap(void) {
  own_pieces own = {0};
  char *start = reserve_end, *end = reserve_end, *piece;
  while (own.count < most_large && (piece = give_back(&own, piece_size, reserve_end))) {
    // Pieces that follow each other were cut from one, with nothing but malloc's notes between: its pages stay there.
    if (piece != end && (piece < end || piece - end > 64)) start = piece;
    end = piece + piece_size;
  }
  // So that what is cut from the rest below is cut from this.
  if (own.count > 0) free(own.pieces[--own.count]);
  // From the largest down, so that each free piece is taken nearly whole; those beyond `start` are of the rest that the
  // large ones were cut from.
  for (size_t size = piece_size - 4096; size >= smallest_given_back; size -= 4096)
    while (give_back(&own, size, start)) {}
  while (own.count > 0) free(own.pieces[--own.count]);
  if (start == reserve_end) return;
  // The pages where they were cut: all of that is one free piece now.
  size_t size = (size_t)(end - start);
  char *volatile whole = malloc(size);
  if (whole == start) {
    char *first;
    size_t length = whole_pages(whole, size, &first);
    madvise(first, length, MADV_DONTNEED);
  }
  free(whole);
}

// What malloc keeps for one thread: up to seven free pieces of each size up to 1,032 bytes, in steps of 16 from 24 on.
enum { kept_sizes = 64, kept_of_a_size = 7, kept_pieces = kept_sizes * kept_of_a_size, smallest_kept = 24, step = 16 };

static void *free_all(void *pieces) {
  for (int i = 0; i < kept_pieces; i++) free(((void **)pieces)[i]);
  return NULL;
}

void stallwatch_gather_heap(void) {
  // A filter of system calls that came since this thread was made may kill for another thread.
  if (filters < 0 || stallwatch_filters() != filters) return;
  void *pieces[kept_pieces];
  for (int i = 0; i < kept_pieces; i++) pieces[i] = malloc(smallest_kept + i / kept_of_a_size * step);
  // Freed here they would be kept again.
  enum { stack_size = 64 << 10 };
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_size);
  if (pthread_create(&thread, &attributes, free_all, pieces) == 0) pthread_join(thread, NULL);
  else free_all(pieces);
  pthread_attr_destroy(&attributes);
}
#else
void stallwatch_reserve_heap(void) {}
void stallwatch_give_back_heap(void) {}
void stallwatch_gather_heap(void) {}
#endif
