import StallwatchCore
import StallwatchReport
import StallwatchStore

/// Data for the page's script. Times are in nanoseconds from the session's start; in packed numbers, in microseconds.
struct PageData {
  private let page: Page
  private let loops: [Int64: Int]
  private var modes = NameTable()
  private var labels = NameTable()

  static func write(_ page: Page, into sink: @escaping TextSink) throws {
    var data = PageData(page)
    var writer = JSONWriter(to: sink)
    try writer.object(inline: true) { try data.write(to: &$0) }
    try writer.finish()
  }

  private init(_ page: Page) {
    self.page = page
    loops = Dictionary(
      page.report.loops.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private mutating func write(to writer: inout JSONWriter) throws {
    try writer.list("loops", page.report.loops) { writer, loop in
      try writer.object {
        try $0.field("id", loop.id)
        try $0.field("session", loop.session)
        try $0.field("name", Self.shown(page.report.label(of: loop)))
      }
    }
    let marks = marksBySession()
    try writer.list("sessions", page.report.sessions) { writer, session in
      try writer.object {
        try $0.field("id", session.id)
        try $0.field("startedAt", session.record.startedAt / .millisecond)
        try $0.field("duration", max(session.duration, 1))
        try $0.field("stalls", marks[session.id]?.count ?? 0)
        let timeline = page.timelines.first { $0.session == session.id }
        if let timeline { try write(timeline, of: session, to: &$0) }
      }
    }
    // Worst first, as in the choice of sessions.
    try writer.list("timelines", page.timelines) { try $0.value($1.session) }
    try write(page.report.sessions.flatMap { marks[$0.id] ?? [] }, to: &writer)
    try writer.field("leftOut", page.leftOutMarks)
    try writeCauses(to: &writer)
    try writer.list("profiles", page.profiles) { try write($1, to: &$0) }
    try writer.list("stories", page.stories) { try Self.write($1, to: &$0) }
    try writeStacks(to: &writer)
    try writer.list("modes", modes.all) { try $0.value($1) }
    try writer.list("phases", Phase.allCases) { try $0.value($1.name) }
    try writer.list("labels", labels.all) { try $0.value($1) }
  }

  private func marksBySession() -> [Int64: [StallMark]] {
    Dictionary(grouping: page.marks, by: \.session)
      .mapValues { $0.sorted { ($0.start, $0.id) < ($1.start, $1.id) } }
  }

  static func shown(_ name: String) -> String { DisplayText.name(name, to: HTMLText.longestName) }

  private func writeCauses(to writer: inout JSONWriter) throws {
    let sentences = CauseSentences(page.report.stalls.signatures)
    try writer.list("causes", page.causes) { writer, cause in
      try writer.object {
        try $0.field("key", cause.report.signature.key)
        try $0.field("title", Self.shown(sentences.sentence(cause.report)))
        try $0.field("short", Self.shown(cause.report.blame.own?.function ?? cause.report.signature.title))
        try $0.field("total", cause.report.total)
      }
    }
  }

  static func write(_ story: StallStory, to writer: inout JSONWriter) throws {
    try writer.object {
      try $0.field("id", story.stall)
      try $0.field("text", story.text)
      try $0.list("owner", story.owner) { try $0.value(shown($1)) }
      try $0.list("timers", story.timers) { writer, timer in
        try writer.array {
          try $0.value(shown(timer.title))
          try $0.value(timer.hurt.late)
          try $0.value(timer.hurt.dropped)
          try $0.value(timer.hurt.worstLateness)
        }
      }
    }
  }

  private func write(_ profile: PageProfile, to writer: inout JSONWriter) throws {
    var (stacks, weights) = (PackedNumbers(), PackedNumbers())
    for (node, weight) in profile.stacks {
      stacks.add(node)
      weights.add(time: weight)
    }
    try writer.object {
      try $0.field("loop", loops[profile.profile.loop])
      try $0.field("stacks", stacks.text)
      try $0.field("weights", weights.text)
    }
  }

  private mutating func writeStacks(to writer: inout JSONWriter) throws {
    var (functions, nodes) = (PackedNumbers(), PackedNumbers())
    for function in page.stacks.functions {
      functions.add(labels.number(of: function.label))
      functions.add(function.place.map { labels.number(of: $0) + 1 } ?? 0)
      functions.add(function.isSystem ? 1 : 0)
    }
    for (place, node) in page.stacks.nodes.enumerated() {
      nodes.add(place - node.caller)
      nodes.add(node.function)
    }
    try writer.field("functions", functions.text)
    try writer.field("nodes", nodes.text)
  }
}

/// A session's timeline.
extension PageData {
  /// The most timers with marks for late fires, the most dropped first.
  private static let mostTimers = 40

  private mutating func write(
    _ timeline: Timeline, of session: StoredSession, to writer: inout JSONWriter
  ) throws {
    let busy = page.busy[timeline.session]
    let levels = busy?.levels ?? [:]
    try writer.field("slice", busy?.slice ?? timeline.slice)
    try writer.field("modeSlice", timeline.slice)
    try writer.list("lanes", timeline.lanes) { writer, lane in
      var (packed, runs, held) = (PackedNumbers(), PackedNumbers(), PackedNumbers())
      packed.add(runsOf: levels[lane.loop] ?? [])
      for run in lane.modes {
        runs.add(run.slice)
        runs.add(modes.number(of: run.mode))
      }
      held.add(runsOf: lane.held.map { $0 > 0 ? max(UInt8($0 * Double(BusyTime.full)), 1) : 0 })
      try writer.object {
        try $0.field("loop", loops[lane.loop])
        try $0.field("busy", packed.text)
        try $0.field("modes", runs.text)
        // What stalls without a mark add up to still shows.
        if page.leftOutMarks > 0 { try $0.field("held", held.text) }
      }
    }
    try writer.field("leftOutLoops", timeline.leftOutLoops)
    try writer.list("intervals", timeline.intervals) { writer, interval in
      try writer.array {
        try $0.value(interval.kind.rawValue)
        try $0.value(Self.shown(interval.reason))
        try $0.value(interval.loop.flatMap { loops[$0] })
        try $0.value(interval.start)
        try $0.value(interval.end)
      }
    }
    let timers = page.report.timers.filter { $0.timer.session == session.id && !$0.windows.isEmpty }
    let late = timers.prefix(Self.mostTimers).flatMap { timer in timer.windows.map { (timer, $0) } }
    try writer.list("late", late) { writer, entry in
      let (timer, window) = entry
      try writer.array {
        try $0.value(timer.timer.loop.flatMap { loops[$0] })
        try $0.value(labels.number(of: timer.title))
        try $0.value(window.startedNs.since(session.record.startedNs))
        try $0.value(window.length)
        try $0.value(window.worstLateness)
        try $0.value(window.dropped)
      }
    }
    let rows = Set(timeline.lanes.map(\.loop))
    try writer.list("drift", page.report.driftByLoop.filter { rows.contains($0.loop) }) { writer, drift in
      try writer.object {
        try $0.field("loop", loops[drift.loop])
        try $0.list("late", drift.report.series) { try $0.value($1.runLoop) }
      }
    }
  }
}

/// The stalls, column by column.
extension PageData {
  private mutating func write(_ marks: [StallMark], to writer: inout JSONWriter) throws {
    var columns: [String: PackedNumbers] = [:]
    var notes = NameTable()
    var (session, last, id) = (Int64?.none, 0 as Nanoseconds, 0 as Int64)
    for mark in marks {
      if mark.session != session { (session, last) = (mark.session, 0) }
      columns["id", default: PackedNumbers()].add(signed: mark.id - id)
      columns["start", default: PackedNumbers()].add(time: mark.start / .microsecond * .microsecond - last)
      (last, id) = (mark.start / .microsecond * .microsecond, mark.id)
      columns["duration", default: PackedNumbers()].add(time: mark.duration)
      columns["loop", default: PackedNumbers()].add(loops[mark.loop].map { $0 + 1 } ?? 0)
      columns["kind", default: PackedNumbers()].add(Self.kind(mark))
      columns["mode", default: PackedNumbers()].add(modes.number(of: mark.mode))
      let words = mark.annotations.sorted { $0.key < $1.key }.map { "\($0) = \($1)" }.joined(separator: ", ")
      columns["note", default: PackedNumbers()].add(notes.number(of: words))
      columns["cause", default: PackedNumbers()].add(Self.cause(mark))
      // In hundredths, and 1 more, for 0 is unknown.
      let shares = mark.activity.flatMap(CauseShares.init)
      columns["blocked", default: PackedNumbers()].add(shares.map { Int(($0.blocked * 100).rounded()) + 1 } ?? 0)
      columns["starved", default: PackedNumbers()].add(shares.map { Int(($0.starved * 100).rounded()) + 1 } ?? 0)
      columns["runs", default: PackedNumbers()].add(mark.runs.runs.count << 1 | (mark.runs.isInOrder ? 0 : 1))
      for run in mark.runs.runs {
        let activity = ThreadActivity.allCases.firstIndex(of: run.activity) ?? 0
        columns["stack", default: PackedNumbers()].add(run.stack * ThreadActivity.allCases.count + activity)
        columns["weight", default: PackedNumbers()].add(time: run.weight)
      }
    }
    try writer.key("stalls")
    try writer.object {
      for name in columns.keys.sorted() { try $0.field(name, columns[name]?.text) }
    }
    try writer.field("cut", marks.map(\.runs.cut).saturatingSum())
    try writer.list("notes", notes.all) { try $0.value($1) }
  }

  /// Kind, state and phase in one number.
  private static func kind(_ mark: StallMark) -> Int {
    let kind =
      switch mark.kind {
      case .stall: 0
      case .congestion: 1
      case .away: 2
      }
    let state =
      switch mark.state {
      case .began: 1
      case .fatal: 2
      case .ended, .cancelled: 0
      }
    return kind + 3 * state + 9 * (Phase.allCases.firstIndex(of: mark.phase) ?? 0)
  }

  private static func cause(_ mark: StallMark) -> Int {
    switch mark.cause {
    case .unknown: 0
    case .other: 1
    case .listed(let place): place + 2
    }
  }
}
