import Foundation
import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchStore

/// Checked by a reader of Chrome's Trace Event Format that follows its published description: phases and their required
/// keys, slices of a thread that lie side by side or within each other, asynchronous events in pairs.
@Suite(.serialized) struct PerfettoTests {
  /// What the reader makes of a trace.
  private struct Trace {
    struct Slice {
      var name: String
      var category: String
      var start: Double
      var end: Double
      var arguments: [String: String]
    }
    struct Track: Hashable {
      var process: Int
      var thread: UInt64
    }

    var slices: [Track: [Slice]] = [:]
    var names: [Track: String] = [:]
    var processes: [Int: String] = [:]
    var moments: [String] = []
    var counters: [String: [(at: Double, value: Double)]] = [:]
    var intervals: [String] = []

    init(_ text: String) throws {
      let file = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      var open: [Int: (name: String, at: Double)] = [:]
      for event in try file.list("traceEvents") {
        let phase = try #require(event["ph"] as? String)
        let name = try #require(event["name"] as? String)
        let process = try #require(event["pid"] as? Int)
        let track = Track(process: process, thread: try event.number("tid"))
        guard phase != "M" else {
          let arguments = try event.object("args")
          switch name {
          case "process_name": processes[process] = try #require(arguments["name"] as? String)
          case "thread_name": names[track] = try #require(arguments["name"] as? String)
          case "thread_sort_index": _ = try arguments.number("sort_index")
          default: Issue.record("unknown metadata \(name)")
          }
          continue
        }
        let start = try #require(event["ts"] as? Double)
        switch phase {
        case "X":
          let slice = Slice(
            name: name, category: try #require(event["cat"] as? String), start: start,
            end: start + (try #require(event["dur"] as? Double)),
            arguments: (event["args"] as? [String: String]) ?? [:])
          slices[track, default: []].append(slice)
        case "i":
          #expect(event["s"] as? String == "t")
          moments.append(name)
        case "C":
          let value = try #require(try event.object("args")["value"] as? Double)
          if let last = counters[name]?.last { #expect(last.at < start && last.value != value) }
          counters[name, default: []].append((start, value))
        case "b":
          #expect(event["cat"] is String)
          let number = try #require(event["id"] as? Int)
          open[number] = (name, start)
        case "e":
          let number = try #require(event["id"] as? Int)
          let begin = try #require(open[number])
          open[number] = nil
          #expect(begin.name == name && begin.at <= start)
          intervals.append(name)
        default: Issue.record("unknown phase \(phase)")
        }
      }
      #expect(open.isEmpty)
    }

    /// The slices of the track with that name.
    func slices(_ name: String) throws -> [Slice] {
      let track = try #require(names.first { $0.value == name }?.key)
      return slices[track] ?? []
    }
  }

  private func trace() throws -> Trace { try Trace(try SampledExample().export(.perfetto)) }

  @Test func slicesOfAThreadLieSideBySideOrWithinEachOther() throws {
    let trace = try trace()
    #expect(trace.processes == [1: "app --fast"])
    #expect(Set(trace.slices.keys).isSubset(of: Set(trace.names.keys)), "every track has a name")
    for (track, slices) in trace.slices {
      var open: [Trace.Slice] = []
      // Half a nanosecond: times are fractions of microseconds.
      let tolerance = 0.0005
      for slice in slices.sorted(by: { ($0.start, $1.end) < ($1.start, $0.end) }) {
        while let last = open.last, last.end <= slice.start + tolerance { open.removeLast() }
        if let last = open.last { #expect(slice.end <= last.end + tolerance, "\(trace.names[track] ?? ""): \(slice)") }
        open.append(slice)
      }
    }
  }

  @Test func stallsStandOnTheirLoopWithWhatIsKnownOfThem() throws {
    let stalls = try trace().slices("main").filter { $0.category == "stall" }
    #expect(stalls.map { $0.name.prefix(14) } == ["report(_:) at ", "report(_:) at ", "report(_:) at ", "long"])
    #expect(stalls[0].start == 1_001_000_000)
    #expect(abs(stalls[0].end - stalls[0].start - 812_000) < 0.001)
    #expect(stalls[0].arguments["mode"] == "kCFRunLoopDefaultMode")
    #expect(stalls[0].arguments["blocked_on"] == "fsync of /var/cache/cache.db")
    #expect(stalls[0].arguments["annotation: screen"] == "Import")
  }

  @Test func samplesBecomeNestedFunctions() throws {
    let samples = try trace().slices("main").filter { $0.category == "sample" }
    let decode = samples.filter { $0.name == "ImageStore.decode(_:)" }
    #expect(decode.count == 2, "consecutive samples of one function are one slice")
    #expect(abs(decode[0].end - decode[0].start - 762_000) < 0.001, "from the first sample to the stall's end")
  }

  @Test func activitiesModesAndLockOwnersHaveTracksOfTheirOwn() throws {
    let trace = try trace()
    #expect(try trace.slices("main: doing").prefix(2).map(\.name) == ["running", "blocked"])
    #expect(try trace.slices("main: mode").count == 4)
    let owner = try trace.slices("writer (lock owner)")
    #expect(owner.count == 10)
    #expect(owner.allSatisfy { $0.name == "holds lock in report(_:)" })
    #expect(trace.moments == ["mode kCFRunLoopDefaultMode attached"])
  }

  @Test func countersSayHowBusyLoopsWereAndHowLateTimersAndTicksCame() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop()
    let start: Nanoseconds = 1_000 * .second
    contents.storedWindows[1] = [
      StoredWindow(loop: 1, mode: 100, startedNs: start, length: .second, busy: 250 * .millisecond),
      StoredWindow(loop: 1, mode: 101, startedNs: start, length: .second, busy: 500 * .millisecond),
      StoredWindow(loop: 1, mode: 100, startedNs: start + 3 * .second, length: .second, busy: .second),
    ]
    contents.storedTicks[1] = [
      DriftTick(
        loop: LoopID(rawValue: 1), number: 1, dueNs: start + .second, runLoopLateness: 20 * .millisecond,
        gcdLateness: 2 * .millisecond, inOtherModes: 0)
    ]
    var text = ""
    try StoreExport(contents).write(.perfetto) { text += $0 }
    let counters = try Trace(text).counters
    #expect(counters["main: busy"]?.map(\.value) == [0.75, 0, 1, 0])
    #expect(counters["main: busy"]?.map { $0.at - 1_000_000_000 } == [0, 1_000_000, 3_000_000, 4_000_000])
    #expect(counters["main: lateness of the run loop in ms"]?.map(\.value) == [20, 0])
    #expect(counters["main: lateness of the GCD timer in ms"]?.map(\.value) == [2, 0])
  }

  @Test func countersOfLoopsAndTimersOfOneNameStayApart() throws {
    var contents = HandMadeContents()
    contents.addSession()
    let names = ["main", "worker", "worker", "pool", "pool"]
    for (place, name) in names.enumerated() { contents.addLoop(id: Int64(place + 1), name: name) }
    // One thread may run a loop, and later another.
    contents.storedLoops[4].record.threadID = contents.storedLoops[3].record.threadID
    let start = HandMadeContents.start
    contents.storedWindows[1] = (1...5 as ClosedRange<Int64>).map {
      StoredWindow(
        loop: $0, mode: $0 * 100, startedNs: start, length: .second, busy: UInt64($0) * 125 * .millisecond)
    }
    var ledger = TimerDelta(timer: TimerID(rawValue: 1), atNs: 0)
    ledger.dropped = 1
    for (id, name) in [(7, "poll"), (8, "poll"), (9, "save")] as [(Int64, String)] {
      let record = TimerRecord(
        id: TimerID(rawValue: 1), loop: LoopID(rawValue: 1), name: name, kind: .runLoop, origin: 0, interval: .second,
        tolerance: 0, modes: [], madeNs: 0)
      contents.storedTimers[1, default: []].append(
        StoredTimer(id: id, session: 1, loop: 1, record: record, ledger: ledger, lateness: nil, drops: [], stalls: []))
      var window = TimerWindow(startedNs: start, length: .second)
      window.dropped = UInt64(id)
      contents.storedTimerWindows[1, default: []].append((timer: id, window: window))
    }
    var text = ""
    try StoreExport(contents).write(.perfetto) { text += $0 }
    let counters = try Trace(text).counters.mapValues { $0.map(\.value) }
    let expected: [String: [Double]] = [
      "main: busy": [0.125, 0], "worker (5002): busy": [0.25, 0], "worker (5003): busy": [0.375, 0],
      "pool (5004) #4: busy": [0.5, 0], "pool (5004) #5: busy": [0.625, 0],
      "timer poll #7: dropped fires": [7, 0], "timer poll #8: dropped fires": [8, 0],
      "timer save: dropped fires": [9, 0],
    ]
    #expect(counters == expected)
  }

  @Test func annotationsAndProfilesHaveTracks() throws {
    let trace = try trace()
    #expect(try trace.slices("main: annotations").map(\.name).contains { $0.contains("screen = Import") })
  }

  @Test func excludedAndBlindTimeIsThere() throws {
    var text = ""
    try StoreExport(HandMadeContents.busy).write(.perfetto) { text += $0 }
    let trace = try Trace(text)
    #expect(Set(trace.intervals) == ["excluded: stopped", "unobserved: new-mode on main"])
    #expect(trace.intervals.count == 3)
  }
}
