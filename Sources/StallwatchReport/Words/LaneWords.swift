import StallwatchCore

/// Lanes in words.
package enum LaneWords {
  private static let longestName = 48

  /// `the main loop`, `loop worker`, `event loop NIO-ELT-0-#1`, `the main queue`.
  static func phrase(_ name: String, _ kind: LaneKind, isMain: Bool) -> String {
    let name = DisplayText.name(name, to: longestName)
    return switch kind {
    case .runLoop: isMain ? "the main loop" : "loop \(name)"
    case .eventLoop: isMain ? "the main event loop" : "event loop \(name)"
    case .mainQueue: "the main queue"
    case .queue: "queue \(name)"
    case .pool: "pool \(name)"
    case .actor: "actor \(name)"
    case .pinged: "lane \(name)"
    }
  }

  /// What a metric of a lane is called: of a queue or pool, whose items wait and are served, `wait` and `service`.
  package static func metric(_ metric: Metric, of kind: LaneKind) -> String {
    switch metric {
    case .waiting where kind.isOfItems: "wait"
    case .span where kind.isOfItems: "service"
    default: metric.name
    }
  }

  /// Where a lane was held: `in mode kCFRunLoopDefaultMode, phase service`. Nil for a lane of one mode, whose phases say
  /// no more.
  static func place(mode: String, phase: Phase, _ kind: LaneKind) -> String? {
    kind == .runLoop ? "in mode \(mode), phase \(phase.name)" : nil
  }
}
