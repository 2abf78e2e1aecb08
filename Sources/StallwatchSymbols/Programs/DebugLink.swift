import CZlib

/// The name of a file with a program's debug information, which `.gnu_debuglink` holds, and that file's checksum.
struct DebugLink: Equatable {
  /// The file's name, without a folder.
  let name: String
  /// The CRC-32 of the whole file.
  let checksum: UInt32
  /// The largest file of which the checksum is taken, in bytes. The debug information of the largest known programs has
  /// some gigabytes.
  private static let largestFile: UInt64 = 8 << 30

  /// What the section's bytes say: the name, zeroes up to a multiple of four, the checksum. Nil where they say nothing,
  /// or name a file in another folder.
  init?(_ section: [UInt8]) {
    let piece = BinaryPiece(bytes: section)
    guard let name = piece.string(at: 0), !name.isEmpty, !name.contains("/"), name != ".", name != "..",
      let checksum = piece.number(UInt32.self, at: (name.utf8.count + 4) & ~3)
    else { return nil }
    (self.name, self.checksum) = (name, checksum)
  }

  /// Where the file of the program at `path` may be: beside it, below it in `.debug`, and in the system's folder of
  /// debug files, the same folders deep.
  func places(besides path: String, root: String?) -> [String] {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    var below = folder
    if let root, below.hasPrefix(root) { below.removeFirst(root.count) }
    let system = [root ?? "", ""].map { "\($0)/usr/lib/debug\(below)/\(name)" }
    return ["\(folder)/\(name)", "\(folder)/.debug/\(name)"] + (root == nil ? [system[1]] : system)
  }

  /// Whether the file at `path` has the checksum. Reads all of it.
  func isMet(by path: String) -> Bool {
    guard let file = BinaryFile(path: path), file.size <= Self.largestFile else { return false }
    var (sum, offset): (UInt32, UInt64) = (0, 0)
    while offset < file.size {
      let count = min(file.size - offset, 1 << 20)
      guard let piece = file.bytes(at: offset, count: count) else { return false }
      sum = UInt32(truncatingIfNeeded: crc32(uLong(sum), piece.bytes, uInt(piece.bytes.count)))
      offset += count
    }
    return sum == checksum
  }
}
