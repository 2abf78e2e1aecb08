#if canImport(Runtime)
  import Runtime
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Readable names of functions, by the Swift runtime that this program itself runs on.
enum Demangling {
  /// Longer names are left as they are: a name is there to be read.
  private static let longestName = 16_384

  /// A function's name in source form, for example `ImageStore.decode(_:)`, and whether it is glue that the compiler made
  /// around another function.
  static func readable(_ rawName: String) -> (name: String, isThunk: Bool) {
    guard rawName.utf8.count <= longestName else { return (rawName, false) }
    #if canImport(Runtime)
      if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
        let symbol = SymbolicatedBacktrace.Symbol(
          imageIndex: 0, imageName: "", rawName: rawName, offset: 0, sourceLocation: nil)
        return (symbol.name, symbol.isSwiftThunk)
      }
    #endif
    return (rawName, false)
  }

  /// The module that adds the function to another module's type; nil where it belongs to the type's own.
  static func extendingModule(_ rawName: String) -> String? {
    guard let full = full(rawName), let start = full.firstRange(of: "(extension in ") else { return nil }
    return String(full[start.upperBound...].prefix { $0 != ")" })
  }

  /// The name with all modules and types. The runtime's own demangler; Swift has no other name for it.
  private static func full(_ rawName: String) -> String? {
    typealias Demangle =
      @convention(c) (
        UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
      ) -> UnsafeMutablePointer<CChar>?
    guard rawName.utf8.count <= longestName, let symbol = dlsym(nil, "swift_demangle") else { return nil }
    let demangle = unsafeBitCast(symbol, to: Demangle.self)
    guard let text = demangle(rawName, rawName.utf8.count, nil, nil, 0) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
