/// What causes are called beside each other: each has its sentence (``CauseSentence``), and where several have the same, a
/// caller that tells them apart, or at last the signature's key. No two are called the same.
package struct CauseSentences: Sendable {
  /// By the signature's key.
  private var sentences: [String: String] = [:]

  /// Costs a walk over all frames.
  package init(_ reports: [SignatureReport]) {
    for report in reports { sentences[report.signature.key] = "\(CauseSentence(report.blame))" }
    distinguish(reports.map(\.signature), by: Self.callers)
    distinguish(reports.map(\.signature)) { alike in alike.map { "signature \($0.key)" } }
  }

  /// The sentence without its full stop; that of the blame alone for a signature that was not among those given.
  package func sentence(_ signature: Signature, _ blame: Blame) -> String {
    sentences[signature.key] ?? "\(CauseSentence(blame))"
  }

  /// The same for a signature that was among those given.
  package func sentence(_ report: SignatureReport) -> String { sentence(report.signature, report.blame) }

  /// The same for a stall; nil where its cause is unknown.
  package func sentence(_ listed: ListedStall) -> String? {
    guard let analysis = listed.analysis, let signature = analysis.signature, let blame = analysis.blame else {
      return nil
    }
    return sentence(signature, blame)
  }

  /// Adds to the sentences of signatures that have the same what `parts` gives for them.
  private mutating func distinguish(_ signatures: [Signature], by parts: ([Signature]) -> [String?]) {
    for alike in Dictionary(grouping: signatures, by: { sentences[$0.key] }).values where alike.count > 1 {
      for (signature, part) in zip(alike, parts(alike)) {
        if let part { sentences[signature.key]? += ", \(part)" }
      }
    }
  }

  /// The nearest callers that are not all the same.
  private static func callers(_ alike: [Signature]) -> [String?] {
    // The function that counts is the last frame; its callers stand before it.
    let stacks = alike.map { Array($0.frames.dropLast().reversed()) }
    let deepest = stacks.map(\.count).max() ?? 0
    for depth in 0..<deepest {
      let callers = stacks.map { $0.indices.contains(depth) ? $0[depth] : nil }
      if Set(callers).count > 1 { return callers.map { caller in caller.map { "called by \(DisplayText.name($0))" } } }
    }
    return alike.map { _ in nil }
  }
}
