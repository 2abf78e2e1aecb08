#if canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Musl)
  @preconcurrency import Musl
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#endif

/// An argument or environment entry as bytes: it need not be UTF-8, and it must be passed on unchanged.
struct CString: Equatable {
  /// The bytes, without the terminating zero.
  var bytes: [UInt8]

  /// The bytes of a text.
  init(_ text: String) { bytes = Array(text.utf8) }

  /// A copy of a C string.
  init(_ pointer: UnsafePointer<CChar>) {
    bytes = UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)).map { $0 }
  }

  /// The last `count` arguments of this process.
  static func lastArguments(_ count: Int) -> [CString] { Array(arguments().suffix(count)) }

  /// The arguments of this process, its name first. Call before changing the environment.
  static func arguments() -> [CString] {
    let all = CommandLine.unsafeArgv
    let known = (0..<Int(CommandLine.argc)).compactMap { index in all[index].map { CString($0) } }
    #if os(Linux)
      return known.isEmpty ? argumentsBelowEnvironment() : known
    #else
      return known
    #endif
  }

  #if os(Linux)
    /// Finds the arguments without /proc, from which Swift reads them and which may not be mounted. The system lays
    /// them out below the environment: their count, pointers to them, and a null pointer (System V ABI, initial process
    /// stack).
    private static func argumentsBelowEnvironment() -> [CString] {
      let first: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
      guard let environment = first, (environment - 1).pointee == nil else { return [] }
      var count = 0
      while Int(bitPattern: (environment - 2 - count).pointee) != count { count += 1 }
      return (0..<count).compactMap { index in (environment - 1 - count + index).pointee.map { CString($0) } }
    }
  #endif

  /// The environment of this process.
  static func environment() -> [CString] {
    var entries: [CString] = []
    let first: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    guard var next = first else { return [] }
    while let entry = next.pointee {
      entries.append(CString(entry))
      next += 1
    }
    return entries
  }

  /// Calls `body` with an array of pointers to zero-terminated copies, terminated by a null pointer.
  static func withPointers<Result>(
    _ strings: [CString], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { string in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.bytes.count + 1)
      for (index, byte) in string.bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
      copy[string.bytes.count] = 0
      return copy
    }
    defer { for pointer in pointers { pointer?.deallocate() } }
    pointers.append(nil)
    return body(pointers)
  }
}
