#if os(Linux)
  import CSQLite
  import StallwatchLibc

  /// The frames that SQLite appends to a store's log (sqlite.org/walformat.html), kept until their transaction's last one
  /// comes. SQLite writes each frame's head and page by themselves; here a transaction's frames become one write.
  ///
  /// The last frame's write also writes all that waits, and returns what became of it: only then does SQLite add the
  /// frames to the log's index, which other connections read.
  struct LogFrames {
    private var bytes: [UInt8] = []
    /// Where in the file the first byte goes.
    private var offset: Int64 = 0
    /// Whether the head that was added last is that of a transaction's last frame.
    private var endsTransaction = false
    /// Where the frames end that were written or wait. SQLite also writes heads anew of frames before this place; those
    /// do not wait.
    private var end: Int64 = 0

    private static let headLength = 24
    /// A head has the store's size in pages here, if it ends a transaction; else 0.
    private static let sizePlace = 4
    /// The most bytes that wait. The memory for them may be twice as large, and the heap maps pieces of 128 KiB each by
    /// itself.
    private static let mostBytes = 60 << 10

    /// What to do with bytes that SQLite writes.
    enum Step {
      /// They wait with the others.
      case wait
      /// They are with the others now, and all are to be written.
      case writeAll
      /// They are no part of a frame that is appended: what waits is to be written, then they are.
      case writeApart
    }

    /// Takes what SQLite writes at `place`. Call ``write(to:)`` afterwards, but for ``Step/wait``.
    mutating func take(_ more: UnsafeRawBufferPointer, at place: Int64) -> Step {
      let isHead = more.count == Self.headLength
      guard place == end, isHead || !bytes.isEmpty else {
        // The log's own head begins the log anew.
        end = place == 0 ? Int64(more.count) : max(end, place + Int64(more.count))
        return .writeApart
      }
      if bytes.isEmpty { offset = place }
      bytes.append(contentsOf: more)
      end += Int64(more.count)
      if isHead {
        endsTransaction = more[Self.sizePlace..<Self.sizePlace + 4].contains { $0 != 0 }
        return .wait
      }
      return endsTransaction || bytes.count >= Self.mostBytes ? .writeAll : .wait
    }

    /// Writes what waits, which does not wait any longer then, whatever becomes of it. False with `errno` when that
    /// fails.
    mutating func write(to file: OpenFile) -> Bool {
      guard !bytes.isEmpty else { return true }
      defer { bytes = [] }
      return bytes.withUnsafeBytes { file.write($0.baseAddress!, $0.count, at: offset) }
    }
  }
#endif
