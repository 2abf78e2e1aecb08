import CStallwatch
import StallwatchCore
import StallwatchLibc
import Synchronization

/// A thread of the monitor, with signals blocked so that the program's signals never land on it. SIGPROF stays as the
/// program has it, as on Dispatch's workers: Swift's runtime uses it to suspend threads when it prints a crash.
struct WatchdogThread: @unchecked Sendable {
  private let thread: pthread_t
  private let start: Start
  private static let pauseMicroseconds: UInt32 = 200

  /// Starts a thread that runs `body` and ends. Nil when the system gives no thread.
  ///
  /// - Parameter stackSize: In bytes, for a thread that needs less than the system's default.
  init?(name: String, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
    var everything = sigset_t()
    var before = sigset_t()
    sigfillset(&everything)
    pthread_sigmask(SIG_SETMASK, &everything, &before)
    if sigismember(&before, SIGPROF) == 0 {
      sigdelset(&everything, SIGPROF)
      pthread_sigmask(SIG_SETMASK, &everything, nil)
    }
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
    start = Start(name: name, body: body)
    let context = Unmanaged.passRetained(start)
    #if canImport(Glibc)
      var created = pthread_t()
      let failed = pthread_create(&created, &attributes, { Start.run($0!) }, context.toOpaque())
      guard failed == 0 else {
        context.release()
        return nil
      }
      thread = created
      pthread_detach(created)
    #else
      var created: pthread_t?
      let failed = pthread_create(&created, &attributes, { Start.run($0) }, context.toOpaque())
      guard failed == 0, let created else {
        context.release()
        return nil
      }
      thread = created
      pthread_detach(created)
    #endif
  }

  /// Waits until the thread has done its work, at most for `patience`, because something in the program may hold it up
  /// for good. False if `patience` ran out; the thread then goes on by itself.
  @discardableResult
  func join(patience: Nanoseconds) -> Bool {
    let deadline = Platform.now() + patience
    while !start.isOver.load(ordering: .acquiring) {
      guard Platform.now() < deadline else { return false }
      usleep(Self.pauseMicroseconds)
    }
    return true
  }

  /// Whether the caller is this thread.
  var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  private final class Start {
    let name: String
    let body: @Sendable () -> Void
    let isOver = Atomic<Bool>(false)

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }

    static func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
      let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
      stallwatch_name_thread(start.name)
      start.body()
      start.isOver.store(true, ordering: .releasing)
      return nil
    }
  }
}
