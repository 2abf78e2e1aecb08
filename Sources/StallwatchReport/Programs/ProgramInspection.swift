#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a program's file says, before any run, about whether `record` can watch its run loops.
public struct ProgramInspection: Sendable, Equatable {
  /// The file.
  public var path: String
  /// What sort of program it is.
  public var kind: ProgramKind
  /// What makes the dynamic loader drop preloaded libraries for whoever runs it now, or nil.
  public var privilege: ProgramPrivilege?

  /// What a program's file is.
  public enum ProgramKind: Sendable, Equatable {
    /// Loads libFoundation: its run loops can be watched.
    case foundation
    /// Dynamically linked Swift in which neither the program nor its libraries load libFoundation.
    case swiftWithoutFoundation
    /// Swift with its runtime linked in.
    case staticSwift
    /// Not dynamically linked, and no trace of Swift.
    case staticProgram
    /// Dynamically linked without Swift: a shell, a compiler, an interpreter. What it starts is watched.
    case withoutSwift
    /// A text that another program runs.
    case script
    /// Built for another processor or word size than the monitor.
    case otherMachine
    /// Asks for another C library's loader than the monitor was built for.
    case otherLoader(String)
    /// No file whose format is known here, or a damaged one.
    case notInspected
  }

  /// Looks at the program at `path`.
  ///
  /// - Parameter libraries: where the loader would look for its libraries.
  public init(path: String, libraries: LibrarySearch) {
    self.path = path
    guard let file = BinaryFile(path: path) else {
      kind = .notInspected
      return
    }
    kind = Self.kind(of: file, path: path, libraries: libraries)
    // The kernel ignores these marks on a script.
    if kind != .script { privilege = ProgramPrivilege(path: path, status: file.status) }
  }

  private static func kind(of file: BinaryFile, path: String, libraries: LibrarySearch) -> ProgramKind {
    if file.bytes(at: 0, count: 2)?.bytes == Array("#!".utf8) { return .script }
    guard let image = ElfImage(file: file) else { return .notInspected }
    if let own = ElfImage(path: "/proc/self/exe"), own.machine != image.machine { return .otherMachine }
    guard image.isDynamic, let loader = image.loader else {
      return image.hasSwiftSections ? .staticSwift : .staticProgram
    }
    if loader.contains("/ld-musl-") { return .otherLoader(loader) }

    let closure = libraries.closure(of: image, at: path)
    let names = closure.found.keys
    if names.contains("libFoundation.so") || closure.missing.contains("libFoundation.so") { return .foundation }
    let hasRuntime = names.contains("libswiftCore.so") || closure.missing.contains("libswiftCore.so")
    if hasRuntime { return closure.missing.isEmpty ? .swiftWithoutFoundation : .foundation }
    return image.hasSwiftSections ? .staticSwift : .withoutSwift
  }
}

/// A mark on a program's file that gives it more rights than whoever starts it.
public enum ProgramPrivilege: String, Sendable {
  /// The set-user-id bit, and another owner.
  case setUserID = "set-user-id"
  /// The set-group-id bit, and another group.
  case setGroupID = "set-group-id"
  /// File capabilities.
  case capabilities = "file capabilities"

  init?(path: String, status: stat) {
    if status.st_mode & S_ISUID != 0, status.st_uid != getuid() {
      self = .setUserID
    } else if status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0, status.st_gid != getgid() {
      self = .setGroupID
    } else if getuid() != 0, Self.hasCapabilities(path) {
      // Root has all capabilities anyway, so the kernel does not call that a gain.
      self = .capabilities
    } else {
      return nil
    }
  }

  private static func hasCapabilities(_ path: String) -> Bool {
    #if os(Linux)
      // Swift's Glibc module leaves <sys/xattr.h> out.
      typealias GetAttribute =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
      guard let symbol = dlsym(nil, "getxattr") else { return false }
      return unsafeBitCast(symbol, to: GetAttribute.self)(path, "security.capability", nil, 0) > 0
    #else
      return false
    #endif
  }
}
