import StallwatchCore

/// Finds the image that contains an address of a session.
struct ImageTable {
  private var images: [ImageRecord]
  /// For each image, the highest end address of it and all images before it.
  private var reach: [UInt64]

  /// A table of a session's images.
  init(_ images: [ImageRecord]) {
    self.images = Set(images).filter { $0.start < $0.end }.sorted {
      ($0.start, $0.end, $0.path) < ($1.start, $1.end, $1.path)
    }
    reach = []
    for image in self.images { reach.append(max(reach.last ?? 0, image.end)) }
  }

  /// The image that contains `address`. Nil where there is none, and where several occupied the address one after the
  /// other: nothing tells which one was there when the address was sampled.
  subscript(address: UInt64) -> ImageRecord? {
    var found: ImageRecord?
    var index = images.partitioningIndex { $0.start > address } - 1
    while index >= 0, reach[index] > address {
      if images[index].end > address {
        if found != nil { return nil }
        found = images[index]
      }
      index -= 1
    }
    return found
  }
}
