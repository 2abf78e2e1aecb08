import Foundation
import Synchronization

/// Takes the lines of all threads and writes them from a thread of its own, ten times a second, so that the loops are
/// not held up by the disk, and a killed program leaves behind what happened until just before.
final class TruthWriter: Sendable {
  private let file: Int32
  private let pending = Mutex<[TruthLine]>([])
  private let totals: Mutex<Totals>
  private let stopping = DispatchSemaphore(value: 0)
  private let stopped = DispatchSemaphore(value: 0)
  private static let flushInterval = DispatchTimeInterval.milliseconds(100)

  /// What the `end` line says.
  struct Totals {
    var threshold: Nanoseconds
    var stalls = 0
    var nearMisses = 0
    var nestedRuns = 0
    var stalled: Nanoseconds = 0
  }

  /// Opens `path` anew, or nothing where it is nil. Throws ``TruthError``.
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

  /// Adds a line. Any thread; takes a lock for as long as an append takes.
  func append(_ line: TruthLine) {
    pending.withLock { $0.append(line) }
    totals.withLock { $0.count(line) }
  }

  /// Writes the last line and waits until all is in the file. Gives the totals.
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
      defer { pending.removeAll(keepingCapacity: true) }
      return pending
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
  /// The file cannot be made.
  case cannotOpen(String, reason: String)

  /// One line for the user.
  var description: String {
    switch self {
    case .cannotOpen(let path, let reason):
      "cannot write the truth to \(path): \(reason); name another file with --truth"
    }
  }
}
