import StallwatchCore
import StallwatchReport
import StallwatchStore

/// Data for the page's script: timelines, stall marks, call trees. Times are in nanoseconds from the session's start.
enum PageData {
  static func write(_ page: Page, into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    var (modes, labels) = (Names(), Names())
    let sentences = CauseSentences(page.report.stalls.signatures)
    let causes = Dictionary(
      page.causes.enumerated().map { ($1.report.signature, $0) }, uniquingKeysWith: { first, _ in first })
    try writer.object(inline: true) { writer in
      try writer.list("timelines", page.timelines) { try write($1, modes: &modes, to: &$0) }
      try writer.list("stalls", page.report.stalls.worst) { writer, listed in
        try write(listed, cause: listed.analysis?.signature.flatMap { causes[$0] }, to: &writer)
      }
      let all = page.report.stalls.counts
      try writer.field("leftOutStalls", all.listedCount - page.report.stalls.worst.count)
      try writer.list("causes", page.causes) { writer, cause in
        try writer.object {
          try $0.field("title", shown(sentences.sentence(cause.report)))
          try $0.field("total", cause.tree.total)
          try $0.list("tree", cause.tree.roots) { try write($1, labels: &labels, to: &$0) }
        }
      }
      try writer.list("modes", modes.all) { try $0.value($1) }
      try writer.list("labels", labels.all) { try $0.value($1) }
    }
    try writer.finish()
  }

  private static func write(_ timeline: Timeline, modes: inout Names, to writer: inout JSONWriter) throws {
    try writer.object { writer in
      try writer.field("session", timeline.session)
      try writer.field("duration", max(timeline.duration, 1))
      try writer.field("slice", timeline.slice)
      try writer.list("lanes", timeline.lanes) { writer, lane in
        try writer.object { writer in
          try writer.field("loop", lane.loop)
          try writer.field("name", shown(lane.name))
          try writer.list("busy", lane.busy) { try $0.value($1.map(thousandths)) }
          try writer.list("held", lane.held) { try $0.value(thousandths($1)) }
          try writer.list("modes", lane.modes) { writer, run in
            let number = modes.number(of: shown(run.mode))
            try writer.array {
              try $0.value(run.slice)
              try $0.value(number)
            }
          }
        }
      }
      try writer.list("intervals", timeline.intervals) { writer, interval in
        try writer.array {
          try $0.value(interval.kind.rawValue)
          try $0.value(shown(interval.reason))
          try $0.value(interval.loop)
          try $0.value(interval.start)
          try $0.value(interval.end)
        }
      }
    }
  }

  private static func write(_ listed: ListedStall, cause: Int?, to writer: inout JSONWriter) throws {
    let stall = listed.stall
    try writer.object {
      try $0.field("id", stall.id)
      try $0.field("session", stall.session)
      try $0.field("loop", stall.loop)
      try $0.field("start", listed.offset)
      try $0.field("duration", stall.duration)
      // 0…4 are severities, 5 is congestion, 6 is an away.
      let severity =
        switch stall.began.kind {
        case .stall: Int(stall.severity.rawValue)
        case .congestion: 5
        case .away: 6
        }
      try $0.field("severity", severity)
      try $0.field("state", stall.state.rawValue)
      try $0.field("cause", cause)
    }
  }

  /// Writes a function as an array: label, time, whether it is system code, place in the source, functions called.
  private static func write(_ node: CallTree.Node, labels: inout Names, to writer: inout JSONWriter) throws {
    let label = labels.number(of: shown(node.label))
    let place = node.location.map { labels.number(of: shown($0.label)) }
    try writer.array { writer in
      try writer.value(label)
      try writer.value(node.weight)
      try writer.value(node.isSystem ? 1 : 0)
      try writer.value(place)
      try writer.array { writer in for child in node.children { try write(child, labels: &labels, to: &writer) } }
    }
  }

  private static func shown(_ name: String) -> String { DisplayText.name(name, to: HTMLText.longestName) }

  private static func thousandths(_ share: Double) -> Int { Int((share * 1_000).rounded()) }

  /// A table of texts that holds each text once.
  private struct Names {
    private(set) var all: [String] = []
    private var numbers: [String: Int] = [:]

    mutating func number(of name: String) -> Int {
      if let number = numbers[name] { return number }
      numbers[name] = all.count
      all.append(name)
      return all.count - 1
    }
  }
}
