import StallwatchLibc

/// What a program's file says about whether `record` can watch its run loops, without running it.
package struct ProgramInspection: Sendable, Equatable {
  /// The path of the program.
  package var path: String
  /// The kind of program.
  package var kind: ProgramKind
  /// Why the dynamic loader ignores preloaded libraries for the current user; nil where it does not.
  package var privilege: ProgramPrivilege?

  /// The kind of a program's file.
  package enum ProgramKind: Sendable, Equatable {
    /// Loads libFoundation: its run loops, and what Dispatch serves, can be watched.
    case foundation
    /// Dynamically linked Swift in which neither the program nor its libraries load libFoundation: it has no run loop, but
    /// its event loops, and what Dispatch serves, can be watched.
    case swiftWithoutFoundation
    /// Dynamically linked, with the Swift runtime linked in: its event loops can be watched.
    case staticSwift
    /// Not dynamically linked.
    case staticProgram
    /// Dynamically linked without Swift: a shell, a compiler, an interpreter. The programs it starts are watched.
    case withoutSwift
    /// A script that another program runs.
    case script
    /// Built for another processor or word size than the monitor.
    case otherMachine
    /// Requests the loader of another C library than the monitor's.
    case otherLoader(String)
    /// In an unknown format, damaged, or unreadable.
    case notInspected
  }

  /// Inspects the program at `path`.
  ///
  /// - Parameter libraries: where to look for its libraries.
  package init(path: String, libraries: LibrarySearch) {
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
      return .staticProgram
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

/// A mark on a program's file that gives it more rights than its user.
package enum ProgramPrivilege: String, Sendable {
  /// The set-user-id bit, with another owner.
  case setUserID = "set-user-id"
  /// The set-group-id bit, with another group.
  case setGroupID = "set-group-id"
  /// File capabilities.
  case capabilities = "file capabilities"

  init?(path: String, status: stat) {
    if status.st_mode & S_ISUID != 0, status.st_uid != getuid() {
      self = .setUserID
    } else if status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0, status.st_gid != getgid() {
      self = .setGroupID
    } else if getuid() != 0, Self.hasCapabilities(path) {
      // Root has all capabilities anyway, so the kernel sees no gain in rights.
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
