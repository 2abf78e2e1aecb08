import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// Programs whose system calls are filtered, which may end them for one that they did not expect.
@Suite(.serialized) struct RecordFilterTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  @Test func `a filter that ends a program for process_vm_readv or ioctl does not end it for a look`() throws {
    let source = try bench.files.write(
      """
      #include <linux/audit.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      int forbid(void) {
        struct sock_filter filter[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
               syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
      }
      """, to: "forbid.c")
    try Built.c([source], to: bench.files.file("forbid.o"), flags: ["-c"])
    let program = try bench.swift(
      """
      import Foundation
      @_silgen_name("forbid") func forbid() -> Int32
      // With the monitor in, so that its thread is under the filter too.
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
      guard forbid() == 0 else { exit(1) }
      func hold() {
        for hold in [{ _ = usleep(150_000) }, {
          let end = ProcessInfo.processInfo.systemUptime + 0.15
          while ProcessInfo.processInfo.systemUptime < end {}
        }] {
          RunLoop.current.add(Timer(timeInterval: 0.01, repeats: false) { _ in hold() }, forMode: .default)
          RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.3))
        }
      }
      hold()
      // Where the stack of a thread lies, the kernel is asked.
      let isOver = DispatchSemaphore(value: 0)
      Thread { hold(); isOver.signal() }.start()
      isOver.wait()
      exit(9)
      """, name: "forbidding", flags: [bench.files.file("forbid.o")])
    #expect(try bench.record([program]).exitCode == 9)
    let reader = try StoreReader(path: bench.files.file("store.stallwatch"))
    let stalls = try reader.worstStalls(limit: 10).filter { $0.duration >= 140_000_000 }
    #expect(stalls.count == 4)
  }
}
