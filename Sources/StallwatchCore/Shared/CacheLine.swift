/// A line of the processor's caches. Memory that one thread writes lies in lines of its own, so that another thread
/// which reads it disturbs nothing else.
@usableFromInline
package enum CacheLine {
  /// The length in bytes, on x86-64 and most of arm64. Apple's processors have lines of 128: there two parts may share
  /// one, which costs time and no more.
  @inlinable package static var length: Int { 64 }

  /// A size or an offset, rounded up to whole lines.
  @inlinable @inline(__always)
  package static func rounded(_ size: Int) -> Int { (size + length - 1) & ~(length - 1) }
}
