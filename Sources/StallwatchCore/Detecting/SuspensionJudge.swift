/// Tells a process that did not run (SIGSTOP, a debugger, a frozen container, a paused virtual machine) from one that
/// was busy or starved, by the watchdog's own lateness.
///
/// A timed sleep that ends late has two explanations. The thread was runnable and got no processor: then the kernel
/// counted run delay for it. Or nothing of the process ran: then it did not. The first is part of a stall and its
/// cause; the second is nobody's fault and is excluded.
public struct SuspensionJudge: Sendable {
  /// Lateness from which a sleep is looked at. Half the default threshold: shorter suspensions cannot make a stall of a
  /// healthy span, and the timer's own lateness is some 0.1 ms even on a loaded machine.
  public static let minimumLateness: Nanoseconds = 25 * .millisecond

  /// A judge without memory: each sleep is judged by itself.
  public init() {}

  /// The interval to exclude after a sleep that was to end at `planned` and ended at `woke`, or nil.
  ///
  /// - Parameters:
  ///   - lastAlive: The latest moment at which the process is known to have run: when the watchdog went to sleep, or a
  ///     later activity of any watched loop. The suspension began after it; how long after nobody can know, so all of
  ///     it is excluded, and a span only becomes a stall by what it lasts besides.
  ///   - runDelay: How long the watchdog was runnable without a processor during the sleep; nil where the system does
  ///     not tell, and then all lateness counts as suspension.
  public func excluded(
    lastAlive: Nanoseconds, planned: Nanoseconds, woke: Nanoseconds, runDelay: Nanoseconds?
  ) -> Range<Nanoseconds>? {
    let lateness = woke.since(planned)
    guard lateness >= Self.minimumLateness, lateness.since(runDelay ?? 0) > lateness / 2, lastAlive < woke else {
      return nil
    }
    return lastAlive..<woke
  }
}
