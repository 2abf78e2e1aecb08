/// The interval between two consecutive activities of one run. Its bounds name it, not what is believed to run in it.
package enum Phase: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  /// `entry` or `beforeTimers` → `beforeSources`.
  case prepare = 0
  /// `beforeSources` → `beforeWaiting` or the next heartbeat: blocks, version 0 sources, and after a skipped wait
  /// timers and the main queue too.
  case sources = 1
  /// `beforeWaiting` → `afterWaiting`: the loop sleeps.
  case waiting = 2
  /// `afterWaiting` → `beforeTimers` or `exit`: a timer, the main queue or a version 1 source, then blocks.
  case service = 3

  /// The name used in the store, in JSON and in reports.
  package var name: String { Metric(self).name }

  /// The phase whose time `metric` is; nil for spans and gaps, which consist of phases.
  package init?(_ metric: Metric) { self.init(rawValue: metric.rawValue) }

  /// The phase named `name`; nil for any other text.
  package init?(name: String) {
    guard let phase = Phase.allCases.first(where: { $0.name == name }) else { return nil }
    self = phase
  }
}
