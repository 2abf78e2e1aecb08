#if os(Linux)
  import CStallwatch

  /// A thread's wait for a futex, from its system call's arguments.
  struct FutexWait {
    /// The address of the futex word.
    var address: UInt64
    private var operation: Operation
    private var expected: UInt32

    private enum Operation: UInt32 {
      // Linux, include/uapi/linux/futex.h, without the flags for private futexes and the wall clock.
      case wait = 0
      case lockPriorityInheriting = 6
      case waitBitset = 9
      case lockPriorityInheriting2 = 13
    }

    init?(_ call: SystemCall) {
      guard let operation = Operation(rawValue: UInt32(truncatingIfNeeded: call.arguments[1]) & 0x7f) else {
        return nil
      }
      address = call.arguments[0]
      self.operation = operation
      expected = UInt32(truncatingIfNeeded: call.arguments[2])
    }

    /// Whether the lock behind this futex may say who holds it; asking takes reading memory.
    var mayHaveOwner: Bool {
      switch operation {
      case .lockPriorityInheriting, .lockPriorityInheriting2: true
      case .wait, .waitBitset: expected == 2
      }
    }

    /// Who holds the lock behind this futex, if it says so and is a thread of this process.
    func owner() -> UInt64? { ownerNumber().flatMap { Self.living(UInt32(truncatingIfNeeded: $0)) } }

    /// The number of the thread that holds the lock behind this futex, if it says so: a priority-inheriting lock,
    /// `Synchronization.Mutex` among them, whose word is its owner's thread ID; or glibc's pthread mutex, NSLock among
    /// them. Other futexes (conditions, semaphores, glibc's inner locks) have no owner.
    func ownerNumber() -> UInt64? {
      switch operation {
      case .lockPriorityInheriting, .lockPriorityInheriting2:
        // FUTEX_TID_MASK: the bits above mark waiters and an owner that died.
        return SafeMemory.load(UInt32.self, at: address).flatMap { Self.number($0 & 0x3fff_ffff) }
      case .wait, .waitBitset:
        #if canImport(Glibc)
          // A waiter sets the word of a glibc mutex to 2 and waits while it is 2.
          guard expected == 2, let mutex = SafeMemory.load(GlibcMutex.self, at: address), mutex.isPlausible else {
            return nil
          }
          return Self.number(UInt32(truncatingIfNeeded: mutex.owner))
        #else
          return nil
        #endif
      }
    }

    /// The number of the thread for whose end it waits (pthread_join): the word is that number, in the thread's own
    /// control block, and the kernel clears it.
    func joinedNumber() -> UInt64? {
      #if canImport(Glibc) && arch(x86_64)
        // glibc's struct pthread (nptl/descr.h): the block's first word is its own address, `tid` lies 720 bytes on.
        let block = address &- 720
        guard expected > 2, SafeMemory.load(UInt64.self, at: block) == block,
          SafeMemory.load(UInt32.self, at: address) == expected
        else { return nil }
        return Self.number(expected)
      #else
        return nil
      #endif
    }

    private static func number(_ word: UInt32) -> UInt64? { word == 0 ? nil : UInt64(word) }

    private static func living(_ number: UInt32) -> UInt64? {
      number != 0 && stallwatch_thread_cpu(UInt64(number)) != 0 ? UInt64(number) : nil
    }

    /// The start of glibc's 64-bit pthread_mutex_t (sysdeps/nptl/bits/struct_mutex.h); its first word is the futex.
    private struct GlibcMutex: BitwiseCopyable {
      var lock: Int32
      var count: UInt32
      var owner: Int32
      var users: UInt32
      var kind: Int32

      /// Whether this can be a mutex that is held and waited for, not other memory behind another futex.
      var isPlausible: Bool {
        // Normal, recursive, error-checking and adaptive; 0x80 is process-shared, 0x100 and 0x200 are about elision.
        let isKnownKind = (0...3).contains(kind & 0x7f) && kind & ~0x3ff == 0
        return lock == 2 && owner > 0 && users > 0 && isKnownKind && (count == 0 || kind & 0x7f == 1)
      }
    }
  }
#endif
