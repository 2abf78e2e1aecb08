#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CDemangling.h"
#include "Channel.h"
#include "DemanglerProcess.h"

int stallwatch_demangler_start(stallwatch_demangler *demangler, stallwatch_demangler_limits limits) {
  demanglers found = find_demanglers();
  int ends[2];
  if (!found.readable || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
  close_on_exec(ends[0]);
  close_on_exec(ends[1]);
  pid_t process = fork();
  if (process == 0) run_demangler(ends[1], limits, found);
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return -1;
  }
  *demangler = (stallwatch_demangler){.process = process, .channel = ends[0], .limits = limits};
  return 0;
}

/// Whether an answer begins to arrive within the patience.
static int is_answered(const stallwatch_demangler *demangler) {
  struct pollfd wait = {.fd = demangler->channel, .events = POLLIN};
  int ready;
  do ready = poll(&wait, 1, (int)demangler->limits.patience_seconds * 1000);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

int stallwatch_demangler_ask(const stallwatch_demangler *demangler, uint32_t style, const void *name, uint32_t length,
                             void *text, stallwatch_demangled *answer) {
  if (length > demangler->limits.longest) return -1;
  demangling_request request = {.style = style, .length = length};
  if (!send_all(demangler->channel, &request, sizeof request) || !send_all(demangler->channel, name, length) ||
      !is_answered(demangler) || !receive_all(demangler->channel, answer, sizeof *answer) ||
      answer->length > demangler->limits.longest || !receive_all(demangler->channel, text, answer->length))
    return -1;
  return 0;
}

uint64_t stallwatch_demangler_end(stallwatch_demangler *demangler) {
  close(demangler->channel);
  kill(demangler->process, SIGKILL);
  struct rusage used = {0};
  while (wait4(demangler->process, NULL, 0, &used) < 0 && errno == EINTR) {}
#ifdef __APPLE__
  return (uint64_t)used.ru_maxrss;
#else
  return (uint64_t)used.ru_maxrss * 1024;
#endif
}
