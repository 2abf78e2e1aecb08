import StallwatchCore
import StallwatchLibc

/// Finds the files that name a recording's addresses. A file counts only if it has the recorded build-id. Caches what
/// it opened: share one search among the sessions of a report.
package final class SymbolSearch {
  /// Why an image's functions have no names.
  package enum Obstacle: String, Sendable {
    /// The file at the recorded path is another build.
    case changed
    /// There is no readable file at the recorded path.
    case missing
    /// The recorded image had no build-id, so no file can be identified as the same.
    case withoutBuildID = "without-build-id"
    /// The file has no names for these addresses.
    case stripped
  }

  /// What counts as the program's own code.
  let own: OwnCode
  /// Names of own code that nothing had which was looked at.
  private var unmatchedOwn: Set<String>
  private var hasImages = false
  private let folders: [String]
  private let root: String?
  private var found: [ImageRecord: Result] = [:]
  /// The folders' files by build-id; read when the recorded file is not enough.
  private lazy var filesByBuildID = listFolders()
  /// The deepest folder searched, and the most files read: a mistaken `--symbols /` must end.
  private static let deepestFolder = 6
  private static let mostFiles = 20_000

  /// The file found, or why there is none.
  struct Result {
    var file: SymbolFile?
    var obstacle: Obstacle?
  }

  /// A search that also looks in `folders` and in the system's folder of debug files. Recorded paths are looked for below
  /// `root` first: a container's process has a file system of its own.
  package init(folders: [String] = [], root: String? = nil, own: OwnCode = OwnCode()) {
    (self.own, unmatchedOwn) = (own, own.named)
    self.folders = folders
    self.root = root
  }

  /// The names that were given for own code and that no image, and no function on a stack, had so far; empty before any
  /// image was seen.
  package var unmatchedOwnNames: [String] { hasImages ? unmatchedOwn.sorted() : [] }

  /// Takes note of a session's images.
  func see(_ images: [ImageRecord]) {
    hasImages = hasImages || !images.isEmpty
    guard !unmatchedOwn.isEmpty else { return }
    for image in images { see(Frame(name: nil, image: image.path, offset: 0)) }
  }

  /// Takes note of a function on a stack.
  func see(_ frame: Frame) {
    if !unmatchedOwn.isEmpty { unmatchedOwn.subtract(own.matches(frame)) }
  }

  /// The file that says most about `image`.
  func file(for image: ImageRecord) -> Result {
    var key = image
    (key.base, key.start, key.end) = (0, 0, 0)
    if let known = found[key] { return known }
    let result = search(image)
    found[key] = result
    return result
  }

  private func search(_ image: ImageRecord) -> Result {
    guard let buildID = image.buildID.map({ $0.lowercased() }), buildID.count > 2, buildID.allSatisfy(\.isHexDigit)
    else {
      return Result(obstacle: .withoutBuildID)
    }
    let recorded = image.path.hasPrefix("/") ? recordedFile(image.path) : nil
    var best = recorded.flatMap { $0.file.buildID == buildID ? $0.file : nil }
    if best?.wealth != .lines {
      let linked = best?.debugLink.map { linkedFiles($0, besides: recorded?.path ?? "", buildID) } ?? []
      for file in linked + candidates(buildID).compactMap({ file(at: $0, buildID) }) {
        if best.map({ $0.wealth < file.wealth }) ?? true { best = file }
      }
    }
    if let best { return Result(file: best) }
    return Result(obstacle: recorded == nil ? .missing : .changed)
  }

  private func recordedFile(_ path: String) -> (path: String, file: SymbolFile)? {
    for path in [root.map { $0 + path }, path].compactMap(\.self) {
      if let file = SymbolFile(path: path) { return (path, file) }
    }
    return nil
  }

  private func file(at path: String, _ buildID: String) -> SymbolFile? {
    guard let file = SymbolFile(path: path), file.buildID == buildID else { return nil }
    return file
  }

  /// The debug files to which a program links. One without a build-id must have the checksum that the link gives.
  private func linkedFiles(_ link: DebugLink, besides path: String, _ buildID: String) -> [SymbolFile] {
    link.places(besides: path, root: root).compactMap { place in
      guard let file = SymbolFile(path: place) else { return nil }
      guard let found = file.buildID else { return link.isMet(by: place) ? file : nil }
      return found == buildID ? file : nil
    }
  }

  /// Files that may have this build-id, the likely ones first.
  private func candidates(_ buildID: String) -> [String] {
    let place = "\(buildID.prefix(2))/\(buildID.dropFirst(2)).debug"
    return folders.map { "\($0)/.build-id/\(place)" } + (filesByBuildID[buildID] ?? [])
      + [root, ""].compactMap(\.self).map { "\($0)/usr/lib/debug/.build-id/\(place)" }
  }

  private func listFolders() -> [String: [String]] {
    var files: [String: [String]] = [:]
    var waiting = folders.map { (path: $0, depth: 0) }
    var looked = 0
    while let folder = waiting.popLast() {
      for entry in Self.entries(of: folder.path) {
        let path = "\(folder.path)/\(entry)"
        // Links to folders are not followed: they can form circles.
        if Self.isFolder(path) {
          if folder.depth < Self.deepestFolder { waiting.append((path, folder.depth + 1)) }
          continue
        }
        guard looked < Self.mostFiles else { return files }
        looked += 1
        if let buildID = SymbolFile(path: path)?.buildID { files[buildID, default: []].append(path) }
      }
    }
    return files
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func entries(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
