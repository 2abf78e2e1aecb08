import StallwatchCore

/// Looks at other threads of this process: where they stand, what they do, what they are blocked on.
///
/// One a watchdog. All methods are called on the watchdog's thread alone, never on the thread that is looked at.
package protocol ThreadSampler: AnyObject {
  /// Looks at a thread.
  ///
  /// A blocked thread is read without its taking part. A running one is interrupted for microseconds; where it does not
  /// answer at once, this waits for it, at most ``SamplerConfiguration/patience``, and the answer of a thread that was later
  /// than that is returned by the next call for the same thread, with its own time.
  ///
  /// Once ``beginPass()`` was called, that is also the longest that all looks wait together until it is called again.
  ///
  /// Returns nil when there is no such thread, or the system does not let it be looked at.
  func capture(threadID: UInt64) -> CapturedStack?

  /// Begins a pass over many threads. They wait for a processor together, so their answers are waited for together.
  func beginPass()

  /// Says what a thread's pointer to its control block is, by which its stack is found before it is first asked.
  func note(threadPointer: UInt64, of threadID: UInt64)

  /// Drops what a thread was asked for and has not answered: for when its stall is over.
  func withdraw(threadID: UInt64)

  /// The image that holds an address of a captured stack; nil where none does.
  func image(at address: UInt64) -> ImageRecord?

  /// What became of the looks so far.
  var health: SamplerHealth { get }

  /// Gives back what was installed. Nothing may be captured afterwards.
  func stop()
}

extension ThreadSampler {
  /// Where no handler copies a stack, nothing need be known of it.
  package func note(threadPointer: UInt64, of threadID: UInt64) {}

  /// Where threads are suspended, none is waited for.
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

/// How threads are looked at.
package struct SamplerConfiguration {
  /// How long a look waits for a running thread to answer. Default 6 ms: kernels look at the timers that ask it every 4 ms
  /// at most on common systems (250 Hz), and the watchdog has other loops to watch.
  package var patience: Nanoseconds
  /// How long the looks of one pass wait in all. Default 6 ms: a hundred held threads are not to keep the watchdog from its
  /// next pass for longer than one.
  package var passPatience: Nanoseconds
  /// How often it is looked meanwhile whether the thread has blocked, so that it can be read at once. Default 1 ms.
  package var lookAgain: Nanoseconds
  /// Whether running threads may be sent SIGURG where the program does not use it. Default true.
  package var usesSignal: Bool

  /// Other than the defaults where it says so.
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
