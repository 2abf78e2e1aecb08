#pragma once
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

static inline void name_this_thread(const char *name) { prctl(PR_SET_NAME, name); }
#endif
