import Foundation
import Stallwatch
import StallwatchCore
import StallwatchLibc
import StallwatchProbe
import StallwatchReport
import StallwatchStore

/// The monitor of all watched tests of a process, with a store in the folder for temporary files. It starts with the
/// first test and goes on until the process ends, because Dispatch's main queue comes under watch once a process.
struct TestMonitor: Sendable {
  /// It looks at what holds a lane from then on. A hold that is longer than twice that has been looked at.
  static let threshold = Duration.milliseconds(5)
  /// The shortest limit.
  static let leastLimit = threshold * 2

  /// Whether `stallwatch record` watches the process: then the recording has its stalls, and the hooks.
  static var isRecorded: Bool { getenv("STALLWATCH_INJECT") != nil }

  /// The monitor, or why there is none.
  static let shared = Result { try TestMonitor() }

  private let monitor: Monitor
  /// The folder that the process's end removes.
  private static let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("stallwatch-test-\(UUID().uuidString)")

  private init() throws {
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    // Before the monitor's own: what comes first is called last.
    atexit { try? FileManager.default.removeItem(at: TestMonitor.folder) }
    var configuration = Configuration(store: Self.folder.appendingPathComponent("tests.stallwatch").path)
    configuration.threshold = Self.threshold
    configuration.watchesEveryLoop = true
    configuration.driftInterval = nil
    monitor = try Monitor.start(configuration)
  }

  /// A moment on the monitor's clock.
  static var now: Nanoseconds { Probe.now() }

  /// The holds of run loops and of the main queue that are longer than `limit` and began between two moments, the
  /// longest first. With `waitsForAll`, nil while the store does not have all of them in full; otherwise nil only if it
  /// has none and the monitor has seen nothing since `end`. None where the environment keeps the monitor out.
  func holds(
    longerThan limit: Nanoseconds, from start: Nanoseconds, until end: Nanoseconds, waitsForAll: Bool
  ) throws -> [Hold]? {
    guard let path = monitor.store else { return [] }
    let store = try StoreReader.undisturbed { try StoreReader(path: path) }
    guard let session = try store.sessions().last else { return nil }
    let isUpToDate = session.lastSeenNs >= end
    guard isUpToDate || !waitsForAll else { return nil }
    var filter = StoreFilter()
    (filter.sessions, filter.leastDuration) = ([session.id], limit)
    (filter.since, filter.until) = (session.wallClock(at: start), session.wallClock(at: end))
    let contents = try store.filtered(by: filter)
    let loops = Dictionary(
      try contents.loops(session: session.id).map { ($0.id, $0.record) }, uniquingKeysWith: { first, _ in first })
    // The filter by time lets through what began before and reaches into the range. A lane's times may be converted.
    let earliest = start.since(CounterCalibration.tolerance)
    let stalls = try contents.worstStalls(limit: .max).filter { stall in
      guard stall.began.kind == .stall, stall.began.startedNs >= earliest, stall.duration > limit,
        let loop = loops[stall.loop]
      else { return false }
      return loop.kind == .runLoop || loop.kind == .mainQueue
    }
    // The length of one that goes on is not known yet.
    if waitsForAll ? stalls.contains(where: { $0.state == .began }) : stalls.isEmpty && !isUpToDate { return nil }
    let stacks = StackReader(contents)
    let directory = StallDirectory(sessions: try store.sessions(), loops: try store.loops(session: session.id))
    return try stalls.prefix(Hold.most).map { stall in
      let analysis = try stacks.analysis(of: contents.samples(stall: stall.id), session: session.id)
      return Hold(
        lane: directory.listed(stall).lane, duration: stall.duration, goesOn: stall.state == .began,
        cause: analysis?.sentence, split: stall.cause.map { CauseWords.split($0) })
    }
  }
}
