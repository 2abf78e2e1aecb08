extension RandomAccessCollection where Index == Int {
  /// The index of the first element for which `belongs` is true, where all elements for which it is false come before
  /// those; `endIndex` where there is none. O(log(count)).
  ///
  /// Named as in swift-algorithms, which an app that embeds the library would have to resolve.
  @inlinable
  package func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
