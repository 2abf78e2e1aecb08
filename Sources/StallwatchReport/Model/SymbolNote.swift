import StallwatchSymbols

/// An image whose functions are shown as addresses, and why.
package struct SymbolNote: Sendable, Hashable {
  /// The image's recorded path.
  package var path: String
  /// The recorded build-id; nil where none was recorded.
  package var buildID: String?
  /// Why its functions have no names.
  package var obstacle: SymbolSearch.Obstacle

  /// One line for people.
  package var text: String {
    let name = DisplayText.name(path)
    switch obstacle {
    case .changed:
      return "binary changed since recording: \(name); its frames are addresses"
        + " (--symbols DIR looks in DIR for the old build)"
    case .missing: return "binary not found: \(name); its frames are addresses (--symbols DIR looks for it in DIR)"
    case .withoutBuildID:
      return "\(name) has no build-id, so no file can be matched to it; its frames are addresses"
    case .stripped:
      return "\(name) is stripped of symbols; its frames are addresses (--symbols DIR looks for an unstripped copy)"
    }
  }
}
