#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// libcurl's numbers, which never change (curl/curl.h): those of options begin at 0 for long, 10,000 for pointers, 20,000
// for functions and 30,000 for 64-bit numbers.
enum {
  option_write_data = 10001,
  option_url = 10002,
  option_error_buffer = 10010,
  option_write_function = 20011,
  option_post_fields = 10015,
  option_http_header = 10023,
  option_header_data = 10029,
  option_no_progress = 43,
  option_post = 47,
  option_progress_data = 10057,
  option_certificates = 10065,
  option_header_function = 20079,
  option_http_get = 80,
  option_no_signal = 99,
  option_accept_encoding = 10102,
  option_total_milliseconds = 155,
  option_connect_milliseconds = 156,
  option_protocols = 181,
  option_progress_function = 20219,
  option_post_length = 30120,

  protocol_http = 1 << 0,
  protocol_https = 1 << 1,
  global_default = 3,
  info_status = 0x200002,
};

typedef struct curl_list curl_list;

/// The library's functions; `easy_init` is NULL when it could not be loaded.
static struct {
  int (*global_init)(long flags);
  void *(*easy_init)(void);
  int (*easy_setopt)(void *handle, int option, ...);
  int (*easy_perform)(void *handle);
  int (*easy_getinfo)(void *handle, int info, ...);
  void (*easy_reset)(void *handle);
  void (*easy_cleanup)(void *handle);
  const char *(*easy_strerror)(int code);
  curl_list *(*slist_append)(curl_list *list, const char *text);
  void (*slist_free_all)(curl_list *list);
} curl;

static void load_curl(void) {
#ifdef __APPLE__
  const char *names[] = {"libcurl.4.dylib"};
#else
  const char *names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"};
#endif
  void *library = NULL;
  for (size_t name = 0; library == NULL && name < sizeof names / sizeof *names; name++)
    library = dlopen(names[name], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  *(void **)&curl.global_init = dlsym(library, "curl_global_init");
  *(void **)&curl.easy_setopt = dlsym(library, "curl_easy_setopt");
  *(void **)&curl.easy_perform = dlsym(library, "curl_easy_perform");
  *(void **)&curl.easy_getinfo = dlsym(library, "curl_easy_getinfo");
  *(void **)&curl.easy_reset = dlsym(library, "curl_easy_reset");
  *(void **)&curl.easy_cleanup = dlsym(library, "curl_easy_cleanup");
  *(void **)&curl.easy_strerror = dlsym(library, "curl_easy_strerror");
  *(void **)&curl.slist_append = dlsym(library, "curl_slist_append");
  *(void **)&curl.slist_free_all = dlsym(library, "curl_slist_free_all");
  if (curl.global_init == NULL || curl.easy_setopt == NULL || curl.easy_perform == NULL || curl.easy_getinfo == NULL ||
      curl.easy_reset == NULL || curl.easy_cleanup == NULL || curl.easy_strerror == NULL ||
      curl.slist_append == NULL || curl.slist_free_all == NULL || curl.global_init(global_default) != 0)
    return;
  *(void **)&curl.easy_init = dlsym(library, "curl_easy_init");
}

stallwatch_http_connection *stallwatch_http_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_curl);
  return curl.easy_init == NULL ? NULL : (stallwatch_http_connection *)curl.easy_init();
}

void stallwatch_http_close(stallwatch_http_connection *connection) { curl.easy_cleanup(connection); }

/// libcurl's callbacks: what a transfer calls with the request as its data.
static size_t take_body(char *bytes, size_t size, size_t count, void *data) {
  const stallwatch_http_request *request = data;
  return request->take(request->context, bytes, size * count) ? size * count : 0;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *data) {
  const stallwatch_http_request *request = data;
  return request->take_header(request->context, bytes, size * count) ? size * count : 0;
}

static int look(void *data, long long down_total, long long down, long long up_total, long long up) {
  (void)down_total, (void)down, (void)up_total, (void)up;
  const stallwatch_http_request *request = data;
  return request->goes_on(request->context) ? 0 : 1;
}

/// Sets the options of a request. Returns libcurl's code.
static int prepare(void *handle, const stallwatch_http_request *request, curl_list *headers, char *reason) {
  int code = curl.easy_setopt(handle, option_url, request->url);
  // Before all others, because libcurl writes here why it refuses the value of another option.
  curl.easy_setopt(handle, option_error_buffer, reason);
  // No redirection is followed: it might carry a password elsewhere.
  if (code == 0) code = curl.easy_setopt(handle, option_protocols, (long)(protocol_http | protocol_https));
  curl.easy_setopt(handle, option_no_signal, 1L);
  curl.easy_setopt(handle, option_connect_milliseconds, request->connect_milliseconds);
  curl.easy_setopt(handle, option_total_milliseconds, request->total_milliseconds);
  if (code == 0) code = curl.easy_setopt(handle, option_http_header, headers);
  // Whatever the library can unpack; what is given to `take` is unpacked.
  curl.easy_setopt(handle, option_accept_encoding, "");
  if (request->certificates != NULL && code == 0)
    code = curl.easy_setopt(handle, option_certificates, request->certificates);
  if (request->body != NULL) {
    curl.easy_setopt(handle, option_post, 1L);
    curl.easy_setopt(handle, option_post_length, (long long)request->body_length);
    curl.easy_setopt(handle, option_post_fields, request->body);
  } else {
    curl.easy_setopt(handle, option_http_get, 1L);
  }
  curl.easy_setopt(handle, option_write_function, take_body);
  curl.easy_setopt(handle, option_write_data, request);
  curl.easy_setopt(handle, option_header_function, take_header);
  curl.easy_setopt(handle, option_header_data, request);
  curl.easy_setopt(handle, option_progress_function, look);
  curl.easy_setopt(handle, option_progress_data, request);
  curl.easy_setopt(handle, option_no_progress, 0L);
  return code;
}

/// Whether a SIGPIPE waits for this thread or its process.
static int pipe_signal_waits(void) {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  return sigismember(&waiting, SIGPIPE) == 1;
}

stallwatch_http_outcome stallwatch_http_exchange(stallwatch_http_connection *connection,
                                                 const stallwatch_http_request *request) {
  void *handle = connection;
  stallwatch_http_outcome outcome = {.code = 27 /* out of memory */};
  curl_list *headers = NULL;
  for (size_t place = 0; place < request->header_count; place++) {
    curl_list *longer = curl.slist_append(headers, request->headers[place]);
    if (longer == NULL) {
      curl.slist_free_all(headers);
      return outcome;
    }
    headers = longer;
  }

  // A TLS library may write to a connection that the server has closed.
  sigset_t pipe_signal, before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  int waited_before = pipe_signal_waits();
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);

  outcome.code = prepare(handle, request, headers, outcome.reason);
  if (outcome.code == 0) outcome.code = curl.easy_perform(handle);
  curl.easy_getinfo(handle, info_status, &outcome.status);

  int caught;
  if (!waited_before && pipe_signal_waits()) sigwait(&pipe_signal, &caught);
  pthread_sigmask(SIG_SETMASK, &before, NULL);

  if (outcome.code != 0 && outcome.reason[0] == 0)
    snprintf(outcome.reason, sizeof outcome.reason, "%s", curl.easy_strerror(outcome.code));
  // Keeps the connection, and forgets the request with all its pointers.
  curl.easy_reset(handle);
  curl.slist_free_all(headers);
  return outcome;
}
