#include "CStallwatch.h"

#include <stdlib.h>

#ifdef __GLIBC__
// Smaller than what malloc maps by itself (128 KiB), so that each piece comes from the thread's heap.
enum { piece_size = 120u << 10, piece_count = STALLWATCH_HEAP_RESERVE / piece_size + 1 };

void stallwatch_reserve_heap(void) {
  // Volatile, or the compiler removes both calls.
  void *volatile pieces[piece_count];
  for (int i = 0; i < piece_count; i++) pieces[i] = malloc(piece_size);
  // The last one stays: malloc gives back free memory at a heap's end, and takes it again page by page.
  for (int i = 0; i + 1 < piece_count; i++) free(pieces[i]);
}
#else
void stallwatch_reserve_heap(void) {}
#endif
