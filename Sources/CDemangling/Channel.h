#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// Precedes each name.
typedef struct {
  uint32_t style;
  uint32_t length;
} demangling_request;

static inline void close_on_exec(int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

#ifdef MSG_NOSIGNAL
enum { without_signal = MSG_NOSIGNAL };
#else
enum { without_signal = 0 };
#endif

static inline bool send_all(int channel, const void *bytes, size_t count) {
  const char *rest = bytes;
  while (count > 0) {
    ssize_t sent = send(channel, rest, count, without_signal);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    rest += sent;
    count -= (size_t)sent;
  }
  return true;
}

static inline bool receive_all(int channel, void *bytes, size_t count) {
  char *rest = bytes;
  while (count > 0) {
    ssize_t received = recv(channel, rest, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    rest += received;
    count -= (size_t)received;
  }
  return true;
}
