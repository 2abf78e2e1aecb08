extension ProgramInspection {
  /// Why the program's own run loops cannot be watched, and what to do about it; nil where they may be, or where the
  /// program is merely the one that starts others (a shell, a script, a compiler). One line, without the program's
  /// name.
  public var obstacle: String? {
    if let privilege {
      return "is \(privilege.rawValue), so the system loads nothing into it; record a copy without that mark, as the "
        + "user that it runs as"
    }
    return switch kind {
    case .staticSwift:
      "has the Swift runtime linked in, so nothing can be loaded into it; build it without -static-stdlib "
        + "(--static-swift-stdlib), or embed the library Stallwatch"
    case .staticProgram:
      "is statically linked, so nothing can be loaded into it; programs that it starts are still watched"
    case .swiftWithoutFoundation:
      "does not use Foundation, so it has no run loop; programs that it starts are still watched"
    case .otherMachine:
      "is built for another processor or word size than stallwatch; use a build for this one"
    case .otherLoader(let loader):
      "is built for another C library (\(loader)) than stallwatch; use a build for this one"
    case .foundation, .withoutSwift, .script, .notInspected:
      nil
    }
  }

  /// Whether the preloaded library must not be named to the program at all, because its loader would complain.
  public var refusesPreload: Bool {
    switch kind {
    case .otherMachine, .otherLoader: true
    default: false
    }
  }
}
