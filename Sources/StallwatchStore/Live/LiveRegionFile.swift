import StallwatchCore
import StallwatchLibc

/// A live region as a reader finds it: a file that anybody may have written.
struct LiveRegionFile {
  let header: LiveHeader
  let figures: LiveFigures

  /// The live region at `path`; nil when there is none, or when it is no live region. Changes nothing.
  init?(path: String) {
    guard let bytes = Self.bytes(of: path), let header = LiveHeader(bytes) else { return nil }
    let slots = (0..<2 as Range<UInt64>).compactMap { number -> (sequence: UInt64, bytes: [UInt8])? in
      let offset = LiveHeader.slotOffset(number)
      guard offset < bytes.count else { return nil }
      return LiveSlot.read(bytes[offset..<min(offset + LiveSlot.headLength + LiveRegion.capacity, bytes.count)])
    }
    // The one before the last is whole where the last was being written.
    for slot in slots.sorted(by: { $0.sequence > $1.sequence }) {
      guard let figures = LiveEncoding.decode(slot.bytes) else { continue }
      (self.header, self.figures) = (header, figures)
      return
    }
    return nil
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
