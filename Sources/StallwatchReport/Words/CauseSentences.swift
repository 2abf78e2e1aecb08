/// What causes are called beside each other: each has its signature's title, and where several have the same, such as of a
/// function that many call, the caller that tells them apart.
package struct CauseTitles: Sendable {
  /// By the signature's key.
  private var callers: [String: String] = [:]

  /// Costs a walk over all frames.
  package init(_ signatures: [Signature]) {
    for alike in Dictionary(grouping: signatures, by: \.title).values where alike.count > 1 {
      // The titled function is the last frame; its callers stand before it.
      let stacks = alike.map { Array($0.frames.dropLast().reversed()) }
      let deepest = stacks.map(\.count).max() ?? 0
      let parting = (0..<deepest).first { depth in
        Set(stacks.map { $0.indices.contains(depth) ? $0[depth] : nil }).count > 1
      }
      guard let parting else { continue }
      for (signature, stack) in zip(alike, stacks) where stack.indices.contains(parting) {
        callers[signature.key] = stack[parting]
      }
    }
  }

  /// For example `spend(_:) · read`, or `spend(_:) · read, from loadImage()`.
  package func title(_ signature: Signature) -> String {
    callers[signature.key].map { "\(signature.title), from \($0)" } ?? signature.title
  }
}
