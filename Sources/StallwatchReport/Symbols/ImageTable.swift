import StallwatchCore

/// Finds the image that an address of a session lies in.
struct ImageTable {
  private var images: [ImageRecord]
  /// For each image the highest end among it and those before it.
  private var reach: [UInt64]

  /// A table of a session's images.
  init(_ images: [ImageRecord]) {
    self.images = Set(images).filter { $0.start < $0.end }.sorted {
      ($0.start, $0.end, $0.path) < ($1.start, $1.end, $1.path)
    }
    reach = []
    for image in self.images { reach.append(max(reach.last ?? 0, image.end)) }
  }

  /// The image that holds `address`; nil where there is none, or where several did one after the other: which one was there
  /// when the address was sampled cannot be told.
  subscript(address: UInt64) -> ImageRecord? {
    var (low, high) = (0, images.count)
    while low < high {
      let middle = (low + high) / 2
      if images[middle].start <= address { low = middle + 1 } else { high = middle }
    }
    var found: ImageRecord?
    var index = low - 1
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
