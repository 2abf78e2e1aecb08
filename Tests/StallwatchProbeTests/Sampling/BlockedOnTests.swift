#if os(Linux)
  import CStallwatch
  import Foundation
  import StallwatchCore
  import Synchronization
  import TestPrograms
  import Testing

  @testable import StallwatchProbe

  @Suite("What a thread is blocked on", .serialized)
  struct BlockedOnTests {
    private let sampler: LinuxThreadSampler

    init() throws {
      sampler = try #require(LinuxThreadSampler(SamplerConfiguration(usesSignal: false)))
    }

    /// What a thread is blocked on that calls `body`, which `release` lets return. The stack must hold the function that made
    /// the call, whose frame nothing but its own instructions tells: these calls save no frame pointer.
    private func blockedOn(_ body: @escaping @Sendable () -> Void, release: () -> Void) throws -> BlockedOn {
      let thread = SampledThread { _ in markedCall(body) }
      thread.waitUntilBlocked()
      let captured = try thread.whileBlocked { try #require(sampler.capture(threadID: thread.threadID)) }
      let names = try functionNames(captured.frames)
      #expect(names.contains { $0.contains("markedCall") }, "\(names)")
      #expect(names.contains { $0.contains("closure") && $0.contains("BlockedOnTests") }, "\(names)")
      #expect(captured.isComplete, "\(names)")
      thread.stop(waking: release)
      return try #require(captured.blockedOn)
    }

    @Test("is a pipe for a read of one")
    func pipes() throws {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let found = try blockedOn({ [ends] in _ = readByte(ends[0]) }, release: { close(ends[1]) })
      #expect(found == BlockedOn(systemCall: "read", target: "pipe"))
      close(ends[0])
    }

    @Test("is a pipe for a read of one in an asynchronous function")
    func asynchronousPipe() throws {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let number = Shared(Atomic<UInt64>(0))
      let task = OwnThreadTask { [ends] in await markedAsynchronousRead(ends[0], number) }
      var captured: CapturedStack?
      let isBlocked = eventually {
        let threadID = number.value.load(ordering: .acquiring)
        if threadID != 0 { captured = sampler.capture(threadID: threadID) }
        return captured?.blockedOn?.systemCall == "read"
      }
      close(ends[1])
      task.wait()
      #expect(isBlocked)
      let found = try #require(captured)
      let names = try functionNames(found.frames)
      #expect(names.contains { $0.contains("markedAsynchronousRead") }, "\(names)")
      #expect(found.isComplete, "\(names)")
      #expect(found.blockedOn == BlockedOn(systemCall: "read", target: "pipe"))
      close(ends[0])
    }

    @Test("is a file's path for a lock on it")
    func files() throws {
      let directory = try TestDirectory()
      let path = try directory.write("", to: "cache with spaces.db")
      let held = open(path, O_RDWR)
      let wanted = open(path, O_RDWR)
      #expect(flock(held, LOCK_EX) == 0)
      let found = try blockedOn({ flock(wanted, LOCK_EX) }, release: { flock(held, LOCK_UN) })
      #expect(found == BlockedOn(systemCall: "flock", target: path))
      close(held)
      close(wanted)
    }

    @Test("is another file's path once the same call waits for another file by the same descriptor")
    func descriptorOfAnother() throws {
      let directory = try TestDirectory()
      let paths = try ["first.db", "second.db"].map { try directory.write("", to: $0) }
      let held = paths.map { open($0, O_RDWR) }
      let wanted = paths.map { open($0, O_RDWR) }
      for descriptor in held { #expect(flock(descriptor, LOCK_EX) == 0) }
      let descriptor = dup(wanted[0])
      let thread = SampledThread { [wanted] _ in
        flock(descriptor, LOCK_EX)
        dup2(wanted[1], descriptor)
        flock(descriptor, LOCK_EX)
      }
      for (path, lock) in zip(paths, held) {
        for _ in 0..<2 {
          let isFound = eventually { sampler.capture(threadID: thread.threadID)?.blockedOn?.target == path }
          #expect(isFound, "\(path)")
        }
        #expect(flock(lock, LOCK_UN) == 0)
      }
      thread.stop()
      for descriptor in held + wanted + [descriptor] { close(descriptor) }
    }

    @Test("is a FIFO's path for opening it")
    func opening() throws {
      let directory = try TestDirectory()
      let path = directory.file("fifo")
      #expect(mkfifo(path, 0o600) == 0)
      let found = try blockedOn({ close(open(path, O_RDONLY)) }, release: { close(open(path, O_WRONLY)) })
      #expect(found == BlockedOn(systemCall: "openat", target: path))
    }

    @Test("is the peer of a connected TCP socket, and the address of a listening one")
    func tcp() throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          #expect(bind(listener, $0, length) == 0)
          #expect(listen(listener, 1) == 0)
          #expect(getsockname(listener, $0, &length) == 0)
        }
      }
      let port = UInt16(bigEndian: address.sin_port)
      let copy = address
      let accepting = try blockedOn({ close(accept(listener, nil, nil)) }) {
        connect(client, to: copy)
      }
      #expect(accepting == BlockedOn(systemCall: "accept", target: "listening tcp 127.0.0.1:\(port)"))

      let second = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      connect(second, to: copy)
      let receiving = try blockedOn({ _ = receiveByte(second) }) { shutdown(second, Int32(SHUT_RDWR)) }
      #expect(receiving == BlockedOn(systemCall: "recvfrom", target: "tcp 127.0.0.1:\(port)"))
      for descriptor in [listener, client, second] { close(descriptor) }
    }

    @Test("is the child that is waited for")
    func child() throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sleep")
      process.arguments = ["60"]
      try process.run()
      let number = process.processIdentifier
      let found = try blockedOn({
        var info = siginfo_t()
        waitid(P_PID, UInt32(number), &info, WEXITED | WNOWAIT)
      }) { kill(number, SIGKILL) }
      #expect(found == BlockedOn(systemCall: "waitid", target: "process \(number)"))
      process.waitUntilExit()
    }

    @Test("is a number where the name of a system call is not known")
    func unknown() {
      #expect(SystemCallName.name(of: 99_999) == "system call 99999")
      #expect(
        BlockedOnResolver(process: .own).resolve(
          SystemCall(number: 99_999, arguments: [0, 0, 0, 0, 0, 0]), letter: "S")
          == BlockedOn(systemCall: "system call 99999"))
      #expect(BlockedOnResolver(process: .own).resolve(nil, letter: "D") == BlockedOn(systemCall: "page fault"))
      #expect(BlockedOnResolver(process: .own).resolve(nil, letter: "T") == BlockedOn(systemCall: "stop"))
    }

    @Test("is unknown where the arguments are nonsense")
    func nonsense() {
      let nonsense = [UInt64](repeating: .max - 7, count: 6)
      for number in 0..<470 {
        let call = SystemCall(number: number, arguments: nonsense)
        let found = BlockedOnResolver(process: .own).resolve(call, letter: "S")
        #expect(found.owner == nil)
        #expect(FutexWait(SystemCall(number: number, arguments: nonsense))?.owner() == nil)
      }
    }
  }

  @inline(never)
  private func markedCall(_ body: () -> Void) {
    body()
  }

  @inline(never)
  private func markedAsynchronousRead(_ descriptor: Int32, _ number: Shared<Atomic<UInt64>>) async {
    await Task.yield()
    number.value.store(stallwatch_thread_id(), ordering: .releasing)
    _ = readByte(descriptor)
  }

  private func readByte(_ descriptor: Int32) -> Int {
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1)
  }

  private func receiveByte(_ descriptor: Int32) -> Int {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0)
  }

  private func connect(_ descriptor: Int32, to address: sockaddr_in) {
    var address = address
    withUnsafePointer(to: &address) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
#endif
