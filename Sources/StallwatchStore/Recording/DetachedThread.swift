import CStallwatch
import StallwatchLibc

/// Makes a thread of our own in the watched program.
enum DetachedThread {
  /// In bytes: room for SQLite's deepest calls, several times over.
  private static let stackSize = 512 << 10

  /// Runs `body` on a new thread that takes no signals: the program's handlers run on the program's threads, and a
  /// write beyond a file-size limit fails (EFBIG) instead of killing the program (SIGXFSZ). SIGPROF stays as the
  /// program has it, as on Dispatch's workers: Swift's runtime uses it to suspend threads while it prints a crash.
  /// Where the system allows it, what the thread opens has no descriptor in the program. Returns false if the system
  /// makes no thread.
  static func start(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(name: name, body: body))
    let status = withSignalsBlocked { create(work.toOpaque()) }
    if status != 0 { work.release() }
    return status == 0
  }

  private static func create(_ work: UnsafeMutableRawPointer) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackSize)
    // Spells the type's name out: an implicit Self in a C function crashes the compiler (6.3.1).
    #if canImport(Darwin)
      var thread: pthread_t?
      let status = pthread_create(&thread, &attributes, { DetachedThread.runWork($0) }, work)
    #else
      var thread = pthread_t()
      let status = pthread_create(&thread, &attributes, { DetachedThread.runWork($0!) }, work)
    #endif
    pthread_attr_destroy(&attributes)
    return status
  }

  /// A new thread starts with the signals blocked that its maker blocks.
  private static func withSignalsBlocked(_ body: () -> Int32) -> Int32 {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    if sigismember(&before, SIGPROF) == 0 {
      sigdelset(&all, SIGPROF)
      pthread_sigmask(SIG_SETMASK, &all, nil)
    }
    let result = body()
    pthread_sigmask(SIG_SETMASK, &before, nil)
    return result
  }

  private final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  private static func runWork(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let work = Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
    stallwatch_name_thread(work.name)
    _ = stallwatch_own_descriptors()
    work.body()
    return nil
  }
}
