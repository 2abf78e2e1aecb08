import Foundation
import Synchronization

/// Collects the lines of all threads and writes them ten times a second from a thread of its own. So the disk holds up
/// no loop, and a killed program leaves a record up to moments before.
final class TruthWriter: Sendable {
  private let file: Int32
  private let pending = Mutex(Pending())
  private let totals: Mutex<Totals>
  private let stopping = DispatchSemaphore(value: 0)
  private let stopped = DispatchSemaphore(value: 0)
  private static let flushInterval = DispatchTimeInterval.milliseconds(100)

  /// Lines that are not written yet.
  private struct Pending {
    var lines: [TruthLine] = []
    /// Whether the `end` line was added; no line may follow it.
    var hasEnd = false

    mutating func add(_ line: TruthLine) {
      guard !hasEnd else { return }
      lines.append(line)
      hasEnd = line.kind == .end
    }
  }

  /// The totals in the `end` line.
  struct Totals {
    var threshold: Nanoseconds
    var stalls = 0
    var nearMisses = 0
    var nestedRuns = 0
    var stalled: Nanoseconds = 0
  }

  /// Creates or empties the file at `path`; writes nothing where `path` is nil. Throws ``TruthError``.
  init(path: String?, threshold: Nanoseconds) throws {
    totals = Mutex(Totals(threshold: threshold))
    guard let path else {
      file = -1
      return
    }
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw TruthError.cannotOpen(path, reason: String(cString: strerror(errno))) }
  }

  /// Starts the writing thread.
  func start() {
    let thread = Thread { [self] in
      nameThread("truth-writer")
      while stopping.wait(timeout: .now() + Self.flushInterval) == .timedOut { flush() }
      flush()
      stopped.signal()
    }
    thread.start()
  }

  /// Adds the `start` line.
  func writeStart(at startedNs: Nanoseconds, _ options: Options) {
    var start = TruthLine(.start)
    start.pid = getpid()
    start.seed = options.seed
    start.startedNs = startedNs
    start.thresholdNs = options.threshold
    append(start)
  }

  /// Adds a line, unless the `end` line was added before. Thread-safe; holds a lock only while it appends.
  func append(_ line: TruthLine) {
    pending.withLock { $0.add(line) }
    totals.withLock { $0.count(line) }
  }

  /// Writes the `end` line, waits until everything is in the file, and returns the totals.
  func finish(startedNs: Nanoseconds, seed: UInt64) -> Totals {
    let totals = totals.withLock { $0 }
    var end = TruthLine(.end)
    end.seed = seed
    end.startedNs = startedNs
    end.durationNs = MonotonicClock.now - startedNs
    end.thresholdNs = totals.threshold
    end.stalls = totals.stalls
    end.nearMisses = totals.nearMisses
    end.nestedRuns = totals.nestedRuns
    end.stalledNs = totals.stalled
    append(end)
    stopping.signal()
    stopped.wait()
    return totals
  }

  private func flush() {
    let lines = pending.withLock { pending in
      defer { pending.lines.removeAll(keepingCapacity: true) }
      return pending.lines
    }
    guard file >= 0, !lines.isEmpty else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = Data()
    for line in lines {
      guard let encoded = try? encoder.encode(line) else { continue }
      text.append(encoded)
      text.append(UInt8(ascii: "\n"))
    }
    text.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
    }
  }
}

extension TruthWriter.Totals {
  fileprivate mutating func count(_ line: TruthLine) {
    switch line.kind {
    case .nested:
      nestedRuns += 1
    case .stall:
      let duration = line.durationNs ?? 0
      if duration >= threshold {
        stalls += 1
        stalled += duration
      } else {
        nearMisses += 1
      }
    default:
      break
    }
  }
}

/// Why the truth cannot be written.
enum TruthError: Error, CustomStringConvertible {
  /// The file cannot be created.
  case cannotOpen(String, reason: String)

  /// One line for the user.
  var description: String {
    switch self {
    case .cannotOpen(let path, let reason):
      "cannot write the truth to \(path): \(reason); name another file with --truth"
    }
  }
}
