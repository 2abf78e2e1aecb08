import StallwatchLibc
import StallwatchStore

/// The store that a recording adds to.
struct RecordingFile {
  /// Its absolute path.
  let path: String
  /// Its name as the user would write it here.
  let name: String

  /// A file that the user named, or a new one in the working directory: `PROGRAM-YYYYMMDD-HHMMSS.stallwatch`.
  init(named name: String?, program: String) {
    self.name = name ?? "\(FilePath.name(of: program))-\(Self.timestamp()).stallwatch"
    path = FilePath.absolute(self.name)
  }

  /// Whether something exists at the path, including a dangling symbolic link.
  var exists: Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Checks before the program runs that sessions can be added: an existing file must be a Stallwatch store, and a new
  /// one needs a writable directory. Changes nothing. Throws ``StoreError`` or ``Failure``.
  func check() throws {
    if exists {
      do {
        _ = try StoreReader(path: path)
      } catch StoreError.empty {
        // A recording that ended too early left it. This recording may fill it.
      }
      guard access(path, W_OK) == 0 else { throw Self.refusal(path) }
      return
    }
    let directory = FilePath.directory(of: path)
    // A trailing slash makes anything but a directory fail.
    guard realPath("\(directory)/") != nil, access(directory, W_OK | X_OK) == 0 else {
      throw Failure(.unable, "cannot create \(path): \(directory): \(String(cString: strerror(errno))); use -o FILE")
    }
  }

  private static func refusal(_ path: String) -> StoreError {
    .notPermitted(path: path, detail: String(cString: strerror(errno)))
  }

  private static func timestamp() -> String {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    func digits(_ value: Int32, _ width: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2) + "-"
      + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2)
  }
}
