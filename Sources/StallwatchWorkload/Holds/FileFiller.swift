import Foundation
import Synchronization

/// A thread that fills files, so that a loop that waits for the disk does nothing else. One for each loop.
///
/// It has the next file ready while the loop waits for the one before, and takes them away when the loop is through.
final class FileFiller: Sendable {
  /// What goes into a file between two waits: enough for a wait of milliseconds on a fast disk, of which the
  /// thread itself is busy for a twentieth; with 4 KiB it was a third.
  private static let fill = 4 << 20

  private let folder = NSTemporaryDirectory()
  private let orders = Mutex<[Order]>([])
  private let asked = DispatchSemaphore(value: 0)
  private let filled = DispatchSemaphore(value: 0)

  private enum Order {
    case fill(CInt)
    case remove([CInt], names: [String])
  }

  /// Starts the thread `filler-N`; it lasts as long as the program.
  init(number: Int) {
    let thread = Thread { [self] in
      nameThread("filler-\(number)")
      let content = UnsafeMutableRawPointer.allocate(byteCount: Self.fill, alignment: 4_096)
      content.initializeMemory(as: UInt8.self, repeating: 0x5A, count: Self.fill)
      while true {
        asked.wait()
        switch orders.withLock({ $0.removeFirst() }) {
        case .fill(let file):
          pwrite(file, content, Self.fill, 0)
          filled.signal()
        case .remove(let files, let names):
          for file in files { close(file) }
          for name in names { unlink(name) }
        }
      }
    }
    thread.start()
  }

  /// Makes two files and has both filled; nil where none can be made. The first is full when this returns.
  func begin() -> FilledFiles? {
    let names = (1...2).map { folder + "stallwatch-workload-\(getpid())-\(MonotonicClock.now)-\($0)" }
    let files = names.map { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    guard !files.contains(-1) else {
      order(.remove(files.filter { $0 != -1 }, names: names))
      return nil
    }
    for file in files { order(.fill(file)) }
    filled.wait()
    return FilledFiles(files: files, names: names)
  }

  /// Returns when the file after `file` is full; `file` is filled again meanwhile.
  func next(after file: CInt) {
    order(.fill(file))
    filled.wait()
  }

  /// Has the files taken away by the thread: that too can wait for the disk.
  func end(_ filled: FilledFiles) {
    self.filled.wait()
    order(.remove(filled.files, names: filled.names))
  }

  private func order(_ order: Order) {
    orders.withLock { $0.append(order) }
    asked.signal()
  }
}

/// Two files that are filled in turn.
struct FilledFiles {
  /// Their descriptors …
  let files: [CInt]
  /// … and paths.
  let names: [String]
}
