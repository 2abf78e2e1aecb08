#include <zlib.h>

// deflateInit2 is a macro, which Swift cannot call.
static inline int stallwatch_deflate_init(z_stream *stream, int level, int window_bits, int memory_level) {
  return deflateInit2(stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
}

// inflateInit2 is one, too.
static inline int stallwatch_inflate_init(z_stream *stream, int window_bits) { return inflateInit2(stream, window_bits); }
