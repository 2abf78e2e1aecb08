import StallwatchCore
import StallwatchLibc

/// A live region as a reader finds it: a file that anybody may have written.
struct LiveRegionFile {
  /// The trouble of a session whose region cannot be read, or only in part.
  static let damage = "the live region beside the store was damaged: figures of up to a minute are missing"

  let header: LiveHeader
  let figures: LiveFigures

  /// A block that was being written is read once more, so often at most.
  private static let attempts = 4

  /// The live region at `path`; nil when there is none, or when it is no live region. Changes nothing.
  init?(path: String) {
    var attempt = 1
    while true {
      guard let bytes = Self.bytes(of: path), let header = LiveHeader(bytes) else { return nil }
      let blocks = (0..<LiveHeader.blockCount).compactMap { number -> ArraySlice<UInt8>? in
        let offset = LiveHeader.offset(ofBlock: number)
        return offset < bytes.count ? bytes[offset..<min(offset + LiveBlock.length, bytes.count)] : nil
      }
      let contents = blocks.compactMap(LiveBlock.read)
      let isWhole = contents.count == blocks.count(where: LiveBlock.isUsed)
      if isWhole || attempt == Self.attempts {
        // Blocks of an earlier closing are what the store has.
        guard let closings = contents.map(\.closings).max() else { return nil }
        var assembly = LiveAssembly(from: header.startedNs)
        for block in contents where block.closings == closings { assembly.add(block) }
        var figures = assembly.figures(closings: closings)
        figures.isDamaged = !isWhole
        (self.header, self.figures) = (header, figures)
        return
      }
      attempt += 1
    }
  }

  /// All of the file, which is never longer than a live region is; nil when it cannot be read.
  private static func bytes(of path: String) -> [UInt8]? {
    // Not blocking, because a pipe may stand there.
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard FileStatus(descriptor: descriptor)?.obstacle == nil else { return nil }
    var bytes = [UInt8](repeating: 0, count: LiveHeader.fileLength)
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + length, $0.count - length, off_t(length))
      }
      guard count > 0 else { break }
      length += count
    }
    return Array(bytes.prefix(length))
  }
}
