import StallwatchCore

/// The labels that several sessions have in common, with the defaults of ``CompleteLabels``.
package struct CommonLabels: Sendable, Equatable {
  /// A label by its name; none where sessions differ in it.
  private var names: [SessionLabels.Name: String] = [:]
  /// The tags that all sessions have alike.
  package private(set) var tags: [String: String]
  /// The names whose label somebody set in one of the sessions, so that not all are defaults.
  package private(set) var said: Set<SessionLabels.Name>

  /// The labels of one session: with their defaults, and as they were set.
  package init(_ labels: CompleteLabels, said: SessionLabels) {
    for name in SessionLabels.Name.allCases { names[name] = labels[name] }
    tags = labels.tags
    self.said = Set(SessionLabels.Name.allCases.filter { said[$0] != nil })
  }

  /// The labels that these have in common with those of other sessions.
  package func common(with others: CommonLabels) -> CommonLabels {
    var common = self
    common.names = names.filter { others.names[$0.key] == $0.value }
    common.tags = tags.filter { others.tags[$0.key] == $0.value }
    common.said.formUnion(others.said)
    return common
  }

  /// The label of a name, empty for an environment that nobody set; nil where sessions differ in it.
  package subscript(name: SessionLabels.Name) -> String? { names[name] }
}
