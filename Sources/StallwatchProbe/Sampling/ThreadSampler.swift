import StallwatchCore

/// Looks at other threads of this process: where they stand, what they do, what they are blocked on.
///
/// A watchdog has one, and calls it on its own thread only, never on the thread that is looked at.
package protocol ThreadSampler: AnyObject {
  /// Looks at a thread.
  ///
  /// Reads a blocked thread without its taking part. Interrupts a running one for microseconds. If that does not answer
  /// at once, waits at most ``SamplerConfiguration/patience``; the next call for the thread returns a later answer,
  /// with its own time.
  ///
  /// Once ``beginPass()`` was called, ``SamplerConfiguration/passPatience`` bounds the waiting of all looks together
  /// until the next call of it.
  ///
  /// Returns nil when there is no such thread, or the system does not let the monitor look at it.
  func capture(threadID: UInt64) -> CapturedStack?

  /// Looks at a thread that is looked at again and again, without waiting: a running thread is asked, and the next call
  /// returns its answer, with its own time.
  ///
  /// Returns that answer, and where the thread stands if it is blocked; neither if it runs and has only been asked. Nil
  /// when there is no such thread, or the system does not let the monitor look at it.
  func follow(threadID: UInt64) -> FollowingLook?

  /// Whether a followed thread stands where the look at `atNs`, the last one, found it blocked, and waits for the same:
  /// when that was seen. Costs less than ``follow(threadID:)``, which says more where this returns nil.
  func stays(threadID: UInt64, since atNs: Nanoseconds) -> ThreadReading?

  /// How long a thread was runnable without a processor since it began, in nanoseconds; nil where the system does not
  /// say.
  func runDelay(of threadID: UInt64) -> Nanoseconds?

  /// Ends following a thread, when its stall is over. Returns the answer to the last question if the thread gave one.
  func letGo(threadID: UInt64) -> CapturedStack?

  /// Closes what is open for threads that are not held now, if their last hold was over before a moment.
  func rest(heldBefore moment: Nanoseconds)

  /// Begins a pass over many threads. They wait for a processor together, so the pass waits for their answers together.
  func beginPass()

  /// Notes a thread's pointer to its control block, by which its stack is found before the thread is first asked.
  func note(threadPointer: UInt64, of threadID: UInt64)

  /// Drops an unanswered request to a thread, when its stall is over.
  func withdraw(threadID: UInt64)

  /// The image that holds an address of a captured stack; nil where none does.
  func image(at address: UInt64) -> ImageRecord?

  /// What became of the looks so far.
  var health: SamplerHealth { get }

  /// Removes what was installed. No captures are allowed afterwards.
  func stop()
}

extension ThreadSampler {
  /// Where no handler copies a stack, nobody needs its bounds.
  package func note(threadPointer: UInt64, of threadID: UInt64) {}

  /// A sampler that suspends threads has their stacks at once.
  package func follow(threadID: UInt64) -> FollowingLook? {
    capture(threadID: threadID).map { FollowingLook(standing: $0) }
  }
  package func stays(threadID: UInt64, since atNs: Nanoseconds) -> ThreadReading? { nil }
  package func rest(heldBefore moment: Nanoseconds) {}
  package func letGo(threadID: UInt64) -> CapturedStack? {
    withdraw(threadID: threadID)
    return nil
  }

  /// Only Linux keeps it.
  package func runDelay(of threadID: UInt64) -> Nanoseconds? { nil }

  /// A sampler that suspends threads waits for none.
  package func beginPass() {}
}

/// Makes the sampler for this operating system; nil when there is no memory for it.
package func makeThreadSampler(_ configuration: SamplerConfiguration = SamplerConfiguration()) -> (any ThreadSampler)? {
  #if canImport(Darwin)
    AppleThreadSampler()
  #else
    LinuxThreadSampler(configuration)
  #endif
}

/// How the sampler looks at threads.
package struct SamplerConfiguration {
  /// How long a look waits for a running thread to answer. Default 6 ms: common kernels check the timers that ask it at
  /// least every 4 ms (250 Hz), and the watchdog has other loops to watch.
  package var patience: Nanoseconds
  /// How long the looks of one pass wait in all. Default 6 ms: a hundred held threads should not delay the watchdog's
  /// next pass more than one does.
  package var passPatience: Nanoseconds
  /// How often a waiting look checks whether the thread has blocked, so that it can be read at once. Default 1 ms.
  package var lookAgain: Nanoseconds
  /// Whether running threads may be sent SIGURG if the program does not use it. Default true.
  package var usesSignal: Bool

  /// Makes a configuration with the defaults except where given.
  package init(
    patience: Nanoseconds = 6 * .millisecond, passPatience: Nanoseconds = 6 * .millisecond,
    lookAgain: Nanoseconds = .millisecond, usesSignal: Bool = true
  ) {
    self.patience = patience
    self.passPatience = passPatience
    self.lookAgain = lookAgain
    self.usesSignal = usesSignal
  }
}
