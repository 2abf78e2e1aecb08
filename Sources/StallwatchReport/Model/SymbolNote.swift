/// An image whose functions are shown as addresses, and why.
public struct SymbolNote: Sendable, Hashable {
  /// The image's path, as it was recorded.
  public var path: String
  /// Its build-id, as it was recorded.
  public var buildID: String?
  /// Why its functions have no names.
  public var obstacle: SymbolSearch.Obstacle

  /// For people: one line.
  public var text: String {
    let name = DisplayText.name(path)
    switch obstacle {
    case .changed:
      return "binary changed since recording: \(name); its frames are addresses"
        + " (--symbols DIR looks in DIR for the old build)"
    case .missing: return "binary not found: \(name); its frames are addresses (--symbols DIR looks for it in DIR)"
    case .withoutBuildID:
      return "\(name) has no build-id, so no file can be known to be the same; its frames are addresses"
    case .stripped:
      return "\(name) has been stripped of names; its frames are addresses (--symbols DIR looks for an unstripped copy)"
    }
  }
}
