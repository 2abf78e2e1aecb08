import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchStore

@Suite("The export of metrics")
struct OpenMetricsTests {
  /// The page, and its samples by name and labels.
  private func page(_ contents: HandMadeContents) throws -> (text: String, samples: [String: Double]) {
    var text = ""
    try StoreExport(contents).write(.openmetrics) { text += $0 }
    var samples: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let space = try #require(line.lastIndex(of: " "))
      let name = String(line[..<space])
      #expect(samples[name] == nil, "twice: \(name)")
      samples[name] = Double(line[line.index(after: space)...])
    }
    return (text, samples)
  }

  @Test("has the figures of the report")
  func figures() throws {
    let contents = HandMadeContents.busy
    let (text, samples) = try page(contents)
    let report = try contents.report()
    #expect(text.hasSuffix("# EOF\n"))
    let owner = "program=\"photo-importer\",host=\"host\""
    #expect(samples["stallwatch_watched_seconds_total{\(owner)}"] == 62)
    #expect(samples["stallwatch_sessions{\(owner),ended=\"clean\"}"] == 1)
    let main = try #require(report.loops.first)
    #expect(samples["stallwatch_loop_iterations_total{\(owner),loop=\"main\"}"] == Double(main.iterations))
    let stalls = samples.filter { $0.key.hasPrefix("stallwatch_stalls_total") && $0.key.contains("kind=\"stall\"") }
    #expect(Int(stalls.values.reduce(0, +)) == report.stalls.counts.count)
    #expect(samples["stallwatch_blind_seconds_total{\(owner)}"] == 0.051)
    #expect(samples["stallwatch_lost_records_total{\(owner),buffer=\"spans\"}"] == 3)
  }

  @Test("has histograms whose buckets grow up to the count, and end at infinity")
  func buckets() throws {
    let (_, samples) = try page(.busy)
    let labels = "program=\"photo-importer\",host=\"host\",loop=\"main\",mode=\"kCFRunLoopDefaultMode\""
    let counts = MetricFamilies.bounds.compactMap {
      samples["stallwatch_span_seconds_bucket{\(labels),le=\"\($0)\"}"]
    }
    #expect(counts.count == MetricFamilies.bounds.count)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 })
    let all = try #require(samples["stallwatch_span_seconds_count{\(labels)}"])
    #expect(samples["stallwatch_span_seconds_bucket{\(labels),le=\"+Inf\"}"] == all)
    #expect(all == 2_006)
    // Stalls of 60, 70, 75, 300, 812 and 2,400 ms.
    #expect(samples["stallwatch_span_seconds_bucket{\(labels),le=\"0.05\"}"] == 2_000)
    #expect(samples["stallwatch_span_seconds_bucket{\(labels),le=\"0.5\"}"] == 2_004)
    #expect(samples["stallwatch_span_seconds_bucket{\(labels),le=\"5.0\"}"] == 2_006)
  }

  @Test("has the queue delays of lanes that serve items, and of no run loop")
  func delays() throws {
    var contents = HandMadeContents()
    contents.addSession()
    let waits = [Nanoseconds](repeating: 70 * .millisecond, count: 10)
    contents.addLoop(iterations: 10, samples: [.waiting: waits])
    contents.addLoop(id: 2, name: "images", mode: "items", iterations: 10, samples: [.waiting: waits], kind: .queue)
    let counts = try page(contents).samples.filter { $0.key.hasPrefix("stallwatch_queue_delay_seconds_count") }
    #expect(counts.keys.map { $0.contains("loop=\"images\"") } == [true])
    #expect(counts.values.first == 10)
  }

  @Test("adds up the sessions of one program, and keeps the number of series within bounds")
  func bounded() throws {
    let (_, sessions) = try page(.manySessions)
    #expect(sessions["stallwatch_loop_iterations_total{program=\"app\",host=\"host\",loop=\"main\"}"] == 90)
    let (_, loops) = try page(.manyLoops)
    #expect(loops.keys.count { $0.hasPrefix("stallwatch_loop_busy_seconds_total") } == 50)
    #expect(loops["stallwatch_left_out{what=\"loops\"}"] == 150)
  }

  @Test("takes loops, and timers, whose names are shown alike as one")
  func shownAlike() throws {
    var contents = HandMadeContents()
    contents.addSession()
    let long = String(repeating: "n", count: 130)
    // More than the page shows, if each counted.
    for id in 1...120 as ClosedRange<Int64> {
      contents.addLoop(id: id, name: "\(long) \(id)", iterations: 5, samples: [.span: [60 * .millisecond]])
      contents.addStall(id: id, loop: id, duration: 60 * .millisecond)
      var ledger = TimerDelta(timer: TimerID(rawValue: 1), atNs: 0)
      ledger.fired = 3
      let record = TimerRecord(
        id: TimerID(rawValue: 1), loop: LoopID(rawValue: UInt32(id)), name: "\(long) \(id)", kind: .runLoop, origin: 0,
        interval: .second, tolerance: 0, modes: [], madeNs: 0)
      contents.storedTimers[1, default: []].append(
        StoredTimer(id: id, session: 1, loop: id, record: record, ledger: ledger, lateness: nil, drops: [], stalls: []))
    }
    let (_, samples) = try page(contents)
    func values(_ name: String) -> [Double] { samples.filter { $0.key.hasPrefix(name) }.map(\.value) }
    #expect(values("stallwatch_loop_iterations_total") == [600])
    #expect(values("stallwatch_stalls_total") == [120])
    #expect(values("stallwatch_timer_fires_total") == [360])
    #expect(values("stallwatch_left_out") == [0, 0])
  }

  @Test("never lets a counter fall while a store grows, however many loops and timers it leaves out")
  func growing() throws {
    var contents = HandMadeContents()
    var known: [String: Double] = [:]
    var (compared, leftOut) = (0, 0.0)
    for number in 1...200 as ClosedRange<Int64> {
      contents.addSession(id: number)
      // Of 130 names, so that there are more loops than the page shows, and each comes again, with as many stalls as
      // put it now among the worst and now not.
      for place in 0..<3 as Range<Int64> {
        let (loop, name) = (number * 3 + place, "loop \((number * 7 + place * 43) % 130)")
        contents.addLoop(
          id: loop, session: number, name: name, iterations: 10, samples: [.span: [.millisecond, 60 * .millisecond]])
        for stall in 0...(number * 31 + place) % 5 {
          contents.addStall(
            id: loop * 10 + stall, loop: loop, session: number, duration: 60 * .millisecond * UInt64(number % 9 + 1))
        }
      }
      let (_, samples) = try page(contents)
      for (name, value) in samples where !name.hasPrefix("stallwatch_left_out") && Self.isCounter(name) {
        #expect(value >= known[name] ?? 0, "\(name) fell at session \(number)")
        compared += known[name] == nil ? 0 : 1
      }
      known.merge(samples) { max($0, $1) }
      leftOut = samples["stallwatch_left_out{what=\"loops\"}"] ?? 0
    }
    #expect(compared > 10_000)
    #expect(leftOut == 80)
  }

  private static func isCounter(_ name: String) -> Bool {
    let name = name.prefix { $0 != "{" }
    return ["_total", "_bucket", "_count", "_sum"].contains { name.hasSuffix($0) }
  }

  @Test("counts a stall once it is over: until then its severity may change")
  func open() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(iterations: 10, samples: [.span: [.millisecond]])
    contents.addStall(id: 1, duration: 60 * .millisecond, state: .began)
    contents.addStall(id: 2, duration: 60 * .millisecond)
    let (_, samples) = try page(contents)
    #expect(samples.filter { $0.key.hasPrefix("stallwatch_stalls_total") }.values.reduce(0, +) == 1)
    #expect(samples.filter { $0.key.hasPrefix("stallwatch_open_stalls") }.values.reduce(0, +) == 1)
  }

  @Test("names a family in Prometheus's format as its samples are named")
  func prometheus() throws {
    var text = ""
    try StoreExport(HandMadeContents.busy).write(.prometheus) { text += $0 }
    #expect(text.contains("# TYPE stallwatch_stalls_total counter\n"))
    #expect(text.contains("# HELP stallwatch_stalls_total Stalls"))
    #expect(!text.contains("# EOF") && !text.contains("# UNIT"))
  }

  @Test("writes hostile names as labels that end where they should")
  func hostile() throws {
    let (text, _) = try page(.hostile)
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      var (inside, escaped, quotes) = (false, false, 0)
      for character in line {
        if escaped {
          escaped = false
        } else if inside, character == "\\" {
          escaped = true
        } else if character == "\"" {
          inside.toggle()
          quotes += 1
        }
      }
      #expect(!inside && quotes.isMultiple(of: 2), "\(line.prefix(200))")
      #expect(line.utf8.count < 2_000)
    }
    #expect(!text.contains("\u{1B}"))
  }
}
