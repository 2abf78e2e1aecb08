import Foundation

/// Pictures on a slow disk, for which a pipe with a name stands, and in a folder with many files.
@MainActor final class ImageFiles {
  static let shared = ImageFiles()

  private let folder = NSTemporaryDirectory() + "feed-reader-\(getpid())"

  private init() {
    try! FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<2_000 { close(open("\(folder)/\(number).png", O_CREAT | O_WRONLY, 0o600)) }
    atexit { try? FileManager.default.removeItem(atPath: NSTemporaryDirectory() + "feed-reader-\(getpid())") }
  }

  @inline(never) func loadPicture() {
    let path = folder + "/slow.png"
    if mkfifo(path, 0o600) != 0 { precondition(errno == EEXIST) }
    Thread.detachNewThread {
      let disk = open(path, O_WRONLY)
      usleep(250_000)
      _ = write(disk, "picture", 7)
      close(disk)
    }
    let file = FileHandle(forReadingAtPath: path)
    let picture = try? file?.readToEnd()  // BUG file-read
    precondition(picture?.count == 7)
  }

  @inline(never) func measureCache() {
    let end = Date() + 0.25
    var size = 0
    repeat {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in names {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")  // BUG file-scan
        size += attributes?.count ?? 0
      }
    } while Date() < end
    precondition(size > 0)
  }
}
