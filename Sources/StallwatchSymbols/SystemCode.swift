/// Separates code of the system and of Swift's own libraries from the program's code.
enum SystemCode {
  /// Whether the image at this path belongs to the system: the C library, the Swift runtime, Foundation, dispatch, the
  /// kernel's own page, or the monitor.
  static func isSystem(image path: String) -> Bool {
    if path.hasPrefix("[") || appleFolders.contains(where: path.hasPrefix) { return true }
    let name = path.split(separator: "/").last ?? ""
    return imageNames.contains { name.hasPrefix($0) }
  }

  /// Whether the function with this raw name belongs to the system, wherever it lies. Generic functions of Swift's
  /// libraries are compiled into the programs that use them, and a library can be linked into a program.
  static func isSystem(rawName: String) -> Bool {
    guard mangling(rawName) != nil else { return functionNames.contains { rawName.hasPrefix($0) } }
    return module(rawName: rawName).map(modules.contains) ?? false
  }

  /// The Swift module of the function with this raw name; nil for functions of other languages. What a program adds to
  /// another module's type belongs to the program.
  static func module(rawName: String) -> String? {
    guard let mangled = mangling(rawName) else { return nil }
    if let first = mangled.first, first.isNumber { return identifier(mangled) }
    // A type of the standard library (`s…`, `S…`) or from C (`So`).
    guard mangled.hasPrefix("s") || mangled.hasPrefix("S") else { return nil }
    return Demangling.extendingModule(rawName) ?? "Swift"
  }

  /// A mangled Swift name without its prefix; nil for any other name.
  private static func mangling(_ rawName: String) -> Substring? {
    for prefix in ["$s", "$S", "_$s", "_$S"] where rawName.hasPrefix(prefix) { return rawName.dropFirst(prefix.count) }
    return nil
  }

  /// The identifier at the front, which follows its length.
  private static func identifier(_ mangled: Substring) -> String {
    let digits = mangled.prefix { $0.isASCII && $0.isNumber }
    guard let length = Int(digits), length <= mangled.utf8.count else { return "" }
    return String(decoding: mangled.utf8.dropFirst(digits.utf8.count).prefix(length), as: UTF8.self)
  }

  private static let imageNames = [
    "libc.so", "libc-", "libm.so", "libm-", "libpthread", "libdl.so", "librt.so", "ld-linux", "ld-musl", "libgcc_s",
    "libstdc++", "libc++", "libunwind", "libswift", "lib_Foundation", "libFoundation", "libdispatch",
    "libBlocksRuntime", "linux-vdso", "libStallwatch",
  ]

  private static let appleFolders = ["/usr/lib/", "/System/"].filter { _ in isApple }

  private static let functionNames = [
    "CF", "_CF", "__CF", "swift_", "_swift_", "dispatch_", "_dispatch_", "stallwatch_",
  ]

  private static let modules: Set = [
    "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking", "Dispatch",
    "Synchronization", "CoreFoundation", "Observation", "Distributed", "_Concurrency", "_StringProcessing",
    "_RegexParser", "Glibc", "Musl", "Darwin", "Stallwatch", "StallwatchCore", "StallwatchProbe", "StallwatchStore",
    "StallwatchInject",
  ]

  #if canImport(Darwin)
    private static let isApple = true
  #else
    private static let isApple = false
  #endif
}
