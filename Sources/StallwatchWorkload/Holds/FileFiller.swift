import Foundation
import Synchronization

/// A thread that fills files for one loop, so that the loop itself only waits for the disk.
///
/// It fills the next file while the loop waits for the last one, and removes the files when the loop is done.
final class FileFiller: Sendable {
  /// Bytes written to a file between two waits, 4 MiB: on a fast disk the wait takes milliseconds, and the waiting
  /// thread is busy for a twentieth of it; with 4 KiB it was a third.
  private static let fill = 4 << 20

  private let folder = NSTemporaryDirectory()
  private let orders = Mutex<[Order]>([])
  private let asked = DispatchSemaphore(value: 0)
  private let filled = DispatchSemaphore(value: 0)

  private enum Order {
    case fill(CInt)
    case remove([CInt], names: [String])
  }

  /// Starts the thread `filler-N`, which runs as long as the program.
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

  /// Creates two files and has both filled; nil where they cannot be created. The first is full on return.
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

  /// Waits until the file after `file` is full. The thread then fills `file` again.
  func next(after file: CInt) {
    order(.fill(file))
    filled.wait()
  }

  /// Leaves the removal of the files to the thread, because that too can wait for the disk.
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
  /// Their descriptors.
  let files: [CInt]
  /// Their paths, in the same order.
  let names: [String]
}
