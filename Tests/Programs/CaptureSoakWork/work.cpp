#include "CaptureSoakWork.h"

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#ifdef __linux__
#include <cerrno>
#include <ctime>
#include <dlfcn.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

struct soak_worker {
  soak_kind kind;
  std::atomic<uint64_t> thread_id{0}, rounds{0}, early{0};
  std::atomic<bool> stopping{false};
  std::thread thread;
};

namespace {

uint64_t own_thread_id() { return static_cast<uint64_t>(syscall(SYS_gettid)); }

__attribute__((noinline)) void compute(unsigned rounds) {
  volatile unsigned number = 1;
  for (unsigned i = 0; i < rounds; i++) number = number * 3 + 1;
}

__attribute__((noinline)) bool allocate() {
  static thread_local unsigned size = 16;
  void *blocks[64];
  for (auto &block : blocks) {
    size = size * 5 % 65521 + 16;
    block = std::malloc(size);
    if (block == nullptr) return false;
    static_cast<char *>(block)[size - 1] = 1;
  }
  for (auto &block : blocks) std::free(block);
  return true;
}

__attribute__((noinline)) bool load() {
  // Parts of the C library that nothing else here needs, so that they are really mapped and unmapped.
  static const char *const names[] = {"libresolv.so.2", "libthread_db.so.1", "libBrokenLocale.so.1"};
  static thread_local unsigned turn = 0;
  void *library = dlopen(names[turn++ % 3], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  using encode = int (*)(const unsigned char *, size_t, char *, size_t);
  if (auto function = reinterpret_cast<encode>(dlsym(library, "__b64_ntop"))) {
    unsigned char bytes[256] = {};
    char text[400];
    for (int i = 0; i < 200; i++) function(bytes, sizeof bytes, text, sizeof text);
  }
  return dlclose(library) == 0;
}

__attribute__((noinline)) int throw_deep(int depth) {
  if (depth == 0) throw std::runtime_error("thrown");
  return throw_deep(depth - 1) + 1;
}

__attribute__((noinline)) bool throw_and_catch() {
  try {
    return throw_deep(8) == 0;
  } catch (const std::exception &) {
    return true;
  }
}

__attribute__((noinline)) bool start(soak_worker *worker) {
  std::thread started([worker] {
    worker->thread_id = own_thread_id();
    compute(3000);
    usleep(50);
  });
  started.join();
  return true;
}

void compute_elsewhere() { compute(300000); }

/// Two pages of stack between two that are not mapped: whoever reads beyond either end is killed.
__attribute__((noinline)) bool switch_stacks() {
  const size_t page = static_cast<size_t>(getpagesize());
  void *memory = mmap(nullptr, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  void *stack = static_cast<char *>(memory) + page;
  if (mprotect(stack, 2 * page, PROT_READ | PROT_WRITE) != 0) return false;
  ucontext_t here, there;
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = 2 * page;
  there.uc_link = &here;
  makecontext(&there, compute_elsewhere, 0);
  bool done = swapcontext(&here, &there) == 0;
  return munmap(memory, 4 * page) == 0 && done;
}

__attribute__((noinline)) bool wait_in_usleep() { return usleep(2000) == 0; }

__attribute__((noinline)) bool wait_in_poll() { return poll(nullptr, 0, 2) == 0; }

__attribute__((noinline)) bool wait_in_epoll(int descriptor) {
  epoll_event event;
  return epoll_wait(descriptor, &event, 1, 2) == 0;
}

__attribute__((noinline)) bool wait_in_semaphore(sem_t *semaphore) {
  timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += 2000000;
  if (end.tv_nsec >= 1000000000) end.tv_sec++, end.tv_nsec -= 1000000000;
  return sem_timedwait(semaphore, &end) == -1 && errno == ETIMEDOUT;
}

void work(soak_worker *worker) {
  if (worker->kind != soak_start) worker->thread_id = own_thread_id();
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  int descriptor = epoll_create1(EPOLL_CLOEXEC);
  while (!worker->stopping) {
    bool done = true, early = false;
    switch (worker->kind) {
      case soak_allocate: done = allocate(); break;
      case soak_load: done = load(); break;
      case soak_throw: done = throw_and_catch(); break;
      case soak_start: done = start(worker); break;
      case soak_switch: done = switch_stacks(); break;
      case soak_sleep: early = !wait_in_usleep(); break;
      case soak_poll: early = !wait_in_poll(); break;
      case soak_epoll: early = !wait_in_epoll(descriptor); break;
      case soak_semaphore: early = !wait_in_semaphore(&semaphore); break;
      case soak_kinds: break;
    }
    if (worker->kind >= soak_sleep) compute(20000);
    if (done) worker->rounds++;
    if (early) worker->early++;
  }
  close(descriptor);
  sem_destroy(&semaphore);
}

}  // namespace

soak_worker *soak_begin(soak_kind kind) {
  auto *worker = new soak_worker;
  worker->kind = kind;
  worker->thread = std::thread(work, worker);
  return worker;
}

uint64_t soak_thread_id(const soak_worker *worker) { return worker->thread_id; }
uint64_t soak_rounds(const soak_worker *worker) { return worker->rounds; }
uint64_t soak_early_returns(const soak_worker *worker) { return worker->early; }

void soak_end(soak_worker *worker) {
  worker->stopping = true;
  worker->thread.join();
  delete worker;
}
#endif
