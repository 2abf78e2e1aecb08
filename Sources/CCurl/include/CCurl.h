#pragma once

#include <stddef.h>

// Exchanges of HTTP by the system's libcurl.
//
// The library is loaded at the first exchange: a command that asks no server starts without it, and nothing needs its
// headers to be built.

/// What is asked of a server. Nothing of it is kept after the exchange.
typedef struct {
  /// `http` and `https` are the only schemes.
  const char *url;
  /// Lines such as `Content-Type: text/plain`.
  const char *const *headers;
  size_t header_count;
  /// What is sent. NULL asks with GET, everything else with POST.
  const void *body;
  size_t body_length;
  /// Milliseconds to be connected, and to have the whole answer.
  long connect_milliseconds;
  long total_milliseconds;
  /// A file with the certificates that are trusted; NULL for the system's.
  const char *certificates;
  /// Of the three functions.
  void *context;
  /// Takes a piece of the answer's body; 0 ends the exchange.
  int (*take)(void *context, const void *bytes, size_t count);
  /// Takes a line of the answer's head; 0 ends the exchange.
  int (*take_header)(void *context, const void *bytes, size_t count);
  /// Asked again and again, once a second at least; 0 ends the exchange.
  int (*goes_on)(void *context);
} stallwatch_http_request;

/// How an exchange ended.
typedef struct {
  /// libcurl's code; 0 when there was a whole answer, −1 when the library could not be loaded.
  int code;
  /// The answer's status; 0 without one.
  long status;
  /// Why there was no answer, in one line; empty with one.
  char reason[256];
} stallwatch_http_outcome;

/// A connection, which is kept between exchanges. One thread at a time may use it.
typedef struct stallwatch_http_connection stallwatch_http_connection;

/// Makes a connection, without any traffic. NULL when libcurl could not be loaded or has no memory.
stallwatch_http_connection *stallwatch_http_open(void);

/// Asks and waits for the answer. Blocks SIGPIPE of this thread for as long.
stallwatch_http_outcome stallwatch_http_exchange(stallwatch_http_connection *connection,
                                                 const stallwatch_http_request *request);

/// Closes a connection.
void stallwatch_http_close(stallwatch_http_connection *connection);
