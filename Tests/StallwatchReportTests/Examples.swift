import StallwatchCore
import StallwatchStore

extension HandMadeContents {
  /// A busy afternoon: one session, a main loop with two modes, a worker, stalls of every severity, some congestion,
  /// one cancelled candidate, blind and excluded time, lost records.
  static var busy: HandMadeContents {
    var contents = HandMadeContents()
    contents.addSession(command: ["/usr/local/bin/photo-importer", "--library", "/srv/photos"], duration: 62 * .second)
    let spans: [Nanoseconds] =
      (0..<2_000).map { 80_000 + $0 * 777 } + [60, 70, 75, 300, 812, 2_400].map { $0 * .millisecond }
    contents.addLoop(
      iterations: 2_006, starved: 400 * .millisecond,
      samples: [
        .prepare: (0..<2_006).map { 1_000 + $0 }, .sources: (0..<2_006).map { 20_000 + $0 * 100 },
        .service: spans, .waiting: (0..<2_000).map { 20 * .millisecond + $0 * 1_000 }, .span: spans,
        .gap: (0..<2_000).map { 20 * .millisecond + 120_000 + $0 * 1_000 },
      ])
    contents.addMode(
      id: 101, loop: 1, name: "com.example.photos.tracking", iterations: 300,
      samples: [
        .prepare: [Nanoseconds](repeating: 900, count: 300), .sources: [Nanoseconds](repeating: 9_000, count: 300),
        .service: [Nanoseconds](repeating: 400_000, count: 300), .span: [Nanoseconds](repeating: 410_000, count: 300),
      ])
    contents.addLoop(
      id: 2, name: "thumbnail-worker", iterations: 40,
      samples: [
        .sources: [Nanoseconds](repeating: 4 * .millisecond, count: 40),
        .span: [Nanoseconds](repeating: 4 * .millisecond, count: 40),
        .waiting: [Nanoseconds](repeating: .second, count: 39),
        .gap: [Nanoseconds](repeating: 1_004 * .millisecond, count: 39),
      ])
    for (index, length) in [60, 70, 75, 300, 812, 2_400].enumerated() {
      contents.addStall(
        id: Int64(index + 1), duration: Nanoseconds(length) * .millisecond, at: Nanoseconds(index * 9 + 2) * .second,
        annotations: index == 4 ? ["screen": "Import"] : [:])
    }
    contents.addStall(id: 7, loop: 2, duration: 140 * .millisecond, at: 30 * .second, kind: .congestion)
    contents.addStall(id: 8, duration: 90 * .millisecond, at: 31 * .second, state: .cancelled, reason: "stopped")
    contents.storedHealth[1] = StoredHealth(
      observerTotal: 312 * .microsecond, monitorCPU: 41 * .millisecond, wakeups: 1_930,
      watchdogLateness: StoredMetric(samples: (0..<200).map { 55_000 + $0 * 900 }),
      losses: ["spans": 3, "records": 1],
      intervals: [
        IntervalRecord(kind: .excluded, loop: nil, startedNs: 1, endedNs: 2, duration: 5 * .second, reason: "stopped"),
        IntervalRecord(
          kind: .blind, loop: LoopID(rawValue: 1), startedNs: 1, endedNs: 2, duration: 48 * .millisecond,
          reason: "new-mode"),
        IntervalRecord(
          kind: .blind, loop: LoopID(rawValue: 1), startedNs: 1, endedNs: 2, duration: 3 * .millisecond,
          reason: "new-mode"),
      ])
    return contents
  }

  /// Nothing but two sessions of which one was killed in a stall.
  static var killed: HandMadeContents {
    var contents = HandMadeContents()
    contents.addSession(duration: 3 * .second, ended: .killed, exitStatus: 137)
    contents.addLoop(iterations: 10, samples: [.service: [2 * .millisecond], .span: [2 * .millisecond]])
    contents.addStall(id: 1, duration: 1_900 * .millisecond, at: 1_100 * .millisecond, state: .fatal)
    return contents
  }

  /// A program of many loops; loop 150 is the worst.
  static var manyLoops: HandMadeContents {
    var contents = HandMadeContents()
    contents.addSession()
    for id in 1...200 {
      contents.addLoop(
        id: Int64(id), name: id == 1 ? "main" : "worker \(id)", iterations: 5,
        samples: [.service: [Nanoseconds(id) * .microsecond], .span: [Nanoseconds(id) * .microsecond]])
    }
    contents.addStall(id: 1, loop: 150, duration: 100 * .millisecond)
    return contents
  }

  /// 30 sessions of which the 25th was killed in a stall.
  static var manySessions: HandMadeContents {
    var contents = HandMadeContents()
    for id in 1...30 {
      let isKilled = id == 25
      contents.addSession(id: Int64(id), ended: isKilled ? .killed : .clean, exitStatus: isKilled ? 137 : 0)
      contents.addLoop(id: Int64(id), session: Int64(id), iterations: 3, samples: [.span: [.millisecond]])
    }
    contents.addStall(id: 1, loop: 25, session: 25, duration: 70 * .millisecond, state: .fatal)
    return contents
  }

  /// Names that would wreck a terminal, a table or a page.
  static let hostileNames = [
    "\u{1B}[2J\u{1B}]0;owned\u{7}red", "line\nbreak\ttab\rreturn", "\u{202E}evil\u{2066}", "| pipe `code` <script>",
    String(repeating: "x", count: 10_000), "a" + String(repeating: "\u{301}", count: 5_000), "日本語のスレッド名がここにある長い",
    "\u{FEFF}\u{200B}\u{0}", "a|\u{301}b<\u{301}c\"\u{301}d;\u{301} \u{9B}31m", "",
  ]

  /// A loop, a mode and a stall for each hostile name.
  static var hostile: HandMadeContents {
    var contents = HandMadeContents()
    contents.addSession(command: hostileNames)
    for (index, name) in hostileNames.enumerated() {
      let id = Int64(index + 1)
      contents.addLoop(
        id: id, name: name, mode: name, iterations: 1,
        samples: [.service: [.millisecond], .span: [.millisecond], .waiting: [.second], .gap: [.second]])
      contents.addStall(
        id: id, loop: id, mode: name, duration: Nanoseconds(60 + index) * .millisecond, annotations: [name: name])
    }
    contents.storedHealth[1] = StoredHealth(
      observerTotal: 0, monitorCPU: 0, wakeups: 0, watchdogLateness: nil, losses: ["\u{1B}[31m": 1],
      intervals: [IntervalRecord(kind: .blind, loop: nil, startedNs: 0, endedNs: 1, duration: 1, reason: "\u{202E}x")])
    return contents
  }
}
