#if os(Linux)
  import CStallwatch
  import CoreFoundation

  /// Addresses of code that cannot be unloaded: the program's own, and that of the libraries that this library needs
  /// itself. Most frames of most stacks lie in their images, and asking at each look whether they are still there takes
  /// as long as the walk.
  enum LastingCode {
    static let addresses: [UInt64] = {
      let getMain: @convention(c) () -> CFRunLoop? = CFRunLoopGetMain
      var found = [UInt64](repeating: 0, count: Int(stallwatch_lasting_code_count))
      stallwatch_find_lasting_code(&found)
      return found + [UInt64(UInt(bitPattern: unsafeBitCast(getMain, to: UnsafeRawPointer.self)))]
    }()
  }
#endif
