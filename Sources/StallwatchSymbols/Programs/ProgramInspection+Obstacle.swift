extension ProgramInspection {
  /// Why the monitor cannot watch the program's own run loops, and what to do about it. Nil where it may be able to, or
  /// where the program only starts others (a shell, a script, a compiler). One line, without the program's name.
  package var obstacle: String? {
    if let privilege {
      return "has extra privileges (\(privilege.rawValue)), so the system loads nothing into it; record a copy without "
        + "them, as the user that it runs as"
    }
    return switch kind {
    case .staticProgram:
      "is statically linked, so nothing can be loaded into it; programs that it starts are still watched"
    case .otherMachine:
      "is built for another processor or word size than stallwatch; use a build for this machine"
    case .otherLoader(let loader):
      "is built for another C library (\(loader)) than stallwatch; use a build for the same one"
    case .foundation, .swiftWithoutFoundation, .staticSwift, .withoutSwift, .script, .notInspected:
      nil
    }
  }

  /// What of the program the monitor cannot watch, and what to do about it; nil where it may be able to watch all. One line,
  /// without the program's name.
  package var limit: String? {
    guard kind == .staticSwift, obstacle == nil else { return nil }
    return
      "has the Swift runtime linked in, so only event loops are watched, as those of SwiftNIO; for run loops and the "
      + "main actor build it without -static-stdlib (--static-swift-stdlib), or embed the library Stallwatch"
  }

  /// Whether the environment must not name the preloaded library to the program, because its loader would complain.
  package var refusesPreload: Bool {
    switch kind {
    case .otherMachine, .otherLoader: true
    default: false
    }
  }
}
