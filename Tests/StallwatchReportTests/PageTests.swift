import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport
@testable import StallwatchStore

@Suite("The page")
struct PageTests {
  private func html(_ contents: HandMadeContents, store: String = "run.stallwatch", live: Bool = false) throws -> String
  {
    var html = ""
    try HTMLRenderer(live: live).render(PageBuilder().build(from: contents, store: store)) { html += $0 }
    return html
  }

  private func window(
    mode: Int64 = 100, loop: Int64 = 1, at offset: Nanoseconds, for length: Nanoseconds = 10 * .second,
    busy: Nanoseconds = 0, waiting: Nanoseconds = 0
  ) -> StoredWindow {
    StoredWindow(
      loop: loop, mode: mode, startedNs: HandMadeContents.start + offset, length: length, busy: busy, waiting: waiting)
  }

  @Test("has slices of a quarter second for a short session, with the time that loops were busy and held in each")
  func timeline() throws {
    var contents = HandMadeContents()
    contents.addSession(duration: 1 * .second)
    contents.addLoop(iterations: 4, samples: [.service: [.second], .span: [.second], .waiting: [.second]])
    contents.addMode(id: 101, loop: 1, name: "other")
    let quarter = 250 * Nanoseconds.millisecond
    contents.storedWindows[1] = [
      window(at: 0, for: quarter, busy: 75 * .millisecond, waiting: 175 * .millisecond),
      // Spread over two slices, by length.
      window(mode: 101, at: quarter, for: 2 * quarter, busy: 100 * .millisecond + 1, waiting: 300 * .millisecond),
      window(at: 3 * quarter, for: quarter, busy: 9 * .second), window(loop: 7, at: 0, busy: 1),
    ]
    // From 200 ms to 525 ms: 50 ms of the first slice, all of the second, 25 ms of the third.
    contents.addStall(id: 1, duration: 325 * .millisecond, at: 200 * .millisecond)
    contents.addStall(id: 2, duration: 325 * .millisecond, at: 200 * .millisecond, state: .cancelled)
    let page = try PageBuilder().build(from: contents, store: "x")
    let timeline = try #require(page.timelines.first)
    #expect(timeline.slice == quarter)
    let lane = try #require(timeline.lanes.first)
    #expect(lane.busy.map { $0.map { ($0 * 1000).rounded() } } == [300, 200, 200, 1000])
    // The stall has a mark, so that slices need not show it.
    #expect(lane.held == [0, 0, 0, 0])
    #expect(page.marks.map(\.id) == [1])
    #expect(lane.slices[1].time.busy + lane.slices[2].time.busy == 100 * .millisecond + 1)
    #expect(lane.modes.map(\.slice) == [0, 1, 3])
    #expect(lane.modes.map(\.mode) == ["kCFRunLoopDefaultMode", "other", "kCFRunLoopDefaultMode"])
  }

  @Test("has fewer and longer slices for a long session, each of whole windows")
  func longTimeline() throws {
    var contents = HandMadeContents()
    contents.addSession(duration: 7 * 86_400 * .second)
    contents.addLoop(iterations: 1, samples: [.span: [.millisecond]])
    let timeline = try #require(try PageBuilder().build(from: contents, store: "x").timelines.first)
    #expect(timeline.slice == 420 * .second)
    #expect(timeline.lanes[0].busy.count == 1_440)
    #expect(timeline.lanes[0].busy.allSatisfy { $0 == nil })
  }

  @Test("bears sessions with figures that no program has")
  func wildFigures() throws {
    var contents = HandMadeContents()
    contents.addSession(duration: .max / 2)
    contents.addLoop(iterations: 1, samples: [.span: [.millisecond]])
    contents.storedWindows[1] = [
      window(at: .max / 3, for: .max, busy: .max), window(at: .max / 3, for: .max, busy: .max, waiting: .max),
      StoredWindow(loop: 1, mode: 7, startedNs: 0, length: 0, busy: 1, iterations: .max, longest: .max),
    ]
    contents.addStall(id: 1, duration: .max / 2, at: .max / 4)
    #expect(try html(contents).contains("</html>"))
  }

  @Test("shows every hostile name as text")
  func hostileNames() throws {
    let page = try html(.hostile, store: "a'b<script>.stallwatch")
    let names = page.components(separatedBy: "<script")
    // The data and the page's own script.
    #expect(names.count == 3)
    #expect(page.contains("| pipe `code` &lt;script&gt;"))
    #expect(page.contains("\\u003cscript\\u003e"))
    for character in ["\u{202E}", "\u{2066}", "\u{1B}", "\u{0}", "\u{FEFF}"] {
      #expect(!page.contains(character))
    }
  }

  @Test("asks for nothing, and a live one for its own address alone")
  func requests() throws {
    let page = try html(.busy)
    for word in ["src=", "url(h", "@import", "http://", "https://"] {
      #expect(!page.replacing("http://www.w3.org/2000/svg", with: "").contains(word), "\(word)")
    }
    #expect(page.contains("connect-src 'none'"))
    #expect(!page.contains("<body data-live"))
    let live = try html(.busy, live: true)
    #expect(live.contains("connect-src 'self'"))
    #expect(live.contains("<body data-live=\"events\">"))
  }

  @Test("has a row for every stall that its data marks")
  func rows() throws {
    let html = try html(.busy)
    let marks = try PageBuilder().build(from: HandMadeContents.busy, store: "x").marks
    let stalls = try HandMadeContents.busy.report().stalls.worst
    #expect(stalls.count == 7)
    #expect(marks.map(\.id).sorted() == stalls.map(\.stall.id).sorted())
    for stall in stalls { #expect(html.contains("<tr id=\"stall-\(stall.stall.id)\"")) }
  }

  @Test("has nothing but sentences for a store without sessions")
  func emptyStore() throws {
    let page = try html(HandMadeContents())
    #expect(page.contains("Nothing was recorded"))
    #expect(page.contains("No run loop ran."))
  }

  @Test("counts latencies in quarters of powers of ten")
  func bins() {
    #expect(LatencyBins.bounds.first == 100)
    #expect(LatencyBins.bounds[4] == 1_000)
    #expect(LatencyBins.bounds[28] == .second)
    let counts = LatencyBins.counts(of: StoredMetric(samples: [0, 50, 1_100, 60 * .millisecond, 900 * .second]))
    #expect(counts.reduce(0, +) == 5)
    #expect(counts[0] == 2)
    #expect(counts[4] == 1)
    #expect(counts[23] == 1)
    #expect(counts[39] == 1)
  }

  @Test("adds the stacks of each cause up to what was watched, and names the timers that it hurt")
  func causes() throws {
    var example = try SampledExample()
    let report = try example.contents.report()
    let hurt = report.stalls.signatures[0].worstStall
    var timer = StoredTimer(
      id: 5, session: 1, loop: 1,
      record: TimerRecord(
        id: TimerID(rawValue: 1), loop: LoopID(rawValue: 1), name: "poll", kind: .runLoop, origin: 0,
        interval: .second, tolerance: 0, modes: [], madeNs: 0),
      ledger: TimerDelta(timer: TimerID(rawValue: 1), atNs: 0), lateness: nil, drops: [], stalls: [])
    timer.stalls = [StoredStallTimer(stall: hurt, timer: 5, late: 1, dropped: 0, worstLateness: .second)]
    example.contents.storedTimers[1] = [timer]
    let page = try PageBuilder().build(from: example.contents, store: "x")
    #expect(page.causes.map(\.report.signature) == report.stalls.signatures.map(\.signature))
    for (place, cause) in page.causes.enumerated() {
      let watched = example.contents.storedStalls.filter { stall in
        report.stalls.worst.first { $0.stall.id == stall.id }?.analysis?.signature == cause.report.signature
      }.flatMap { example.contents.samples(stall: $0.id) }.map(\.weight).reduce(0, +)
      let drawn = page.marks.filter { $0.cause == .listed(place) }.flatMap(\.runs.runs).map(\.weight)
      #expect(drawn.reduce(0, +) == watched)
    }
    #expect(page.causes[0].timers.map(\.title) == ["poll"])
    #expect(page.causes[0].timers.map(\.stalls) == [1])
    #expect(page.causes.dropFirst().allSatisfy { $0.timers.isEmpty })
    var html = ""
    try HTMLRenderer().render(page) { html += $0 }
    // A filter keeps its cause by the key, because a live page's ranking changes.
    for cause in page.causes { #expect(html.contains("{\"key\": \"\(cause.report.signature.key)\"")) }
  }

  @Test("reads samples, stalls and windows of time once")
  func passes() throws {
    var contents = try SampledExample().contents
    contents.storedWindows[1] = [window(at: 0, busy: 1)]
    let passes = HandMadeContents.Passes()
    contents.passes = passes
    _ = try PageBuilder().build(from: contents, store: "x")
    #expect(passes.count(.samples) == 1)
    #expect(passes.count(.stalls) == 1)
    #expect(passes.count(.windows) == 1)
  }

  @Test("gives the longest stalls marks where there are too many, and slices the time of the others")
  func leftOutMarks() throws {
    var contents = HandMadeContents()
    contents.addSession(duration: 1 * .second)
    contents.addLoop(iterations: 4, samples: [.span: [.second]])
    for place in 1...4 as ClosedRange<UInt64> {
      contents.addStall(
        id: Int64(place), duration: place * 50 * .millisecond, at: (place - 1) * 250 * .millisecond)
    }
    var configuration = PageConfiguration()
    configuration.marks = 2
    let page = try PageBuilder(configuration: configuration).build(from: contents, store: "x")
    #expect(page.marks.map(\.id) == [3, 4])
    #expect(page.leftOutMarks == 2)
    #expect(page.timelines[0].lanes[0].held.map { ($0 * 10).rounded() } == [2, 4, 0, 0])
    var html = ""
    try HTMLRenderer().render(page) { html += $0 }
    #expect(html.contains("2 stalls shorter than 150 ms have no mark of their own"))
  }

  @Test("keeps the annotations of the longest stalls where there are too many different ones, and says so")
  func leftOutNotes() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(iterations: 5, samples: [.span: [.second]])
    for (place, file) in ["a", "b", "c", "d", "d"].enumerated() {
      contents.addStall(
        id: Int64(place + 1), duration: UInt64(place + 1) * 60 * .millisecond, at: UInt64(place) * .second,
        annotations: ["file": file])
    }
    contents.addStall(id: 6, duration: 55 * .millisecond, at: 6 * .second, annotations: ["file": "c"])
    contents.addStall(id: 7, duration: 900 * .millisecond, at: 7 * .second)
    var configuration = PageConfiguration()
    configuration.notes = 2
    let page = try PageBuilder(configuration: configuration).build(from: contents, store: "x")
    #expect(page.marks.filter { !$0.annotations.isEmpty }.map(\.id).sorted() == [3, 4, 5, 6])
    #expect(page.leftOutNotes == 2)
    var html = ""
    try HTMLRenderer().render(page) { html += $0 }
    #expect(html.contains("The annotations of 2 stalls are left out: `stallwatch show` has them."))
  }

  @Test("has the dark palette for those whose system is dark, and for those who choose it")
  func palette() {
    #expect(PageFiles.style.components(separatedBy: "--ground: #0f1419").count == 3)
    #expect(!PageFiles.style.contains("dark palette"))
  }
}
