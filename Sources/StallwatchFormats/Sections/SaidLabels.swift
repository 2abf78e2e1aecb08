import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The labels of sessions for readers: only those that somebody set, without defaults.
struct SaidLabels {
  private let names: [SessionLabels.Name]
  private let hasTags: Bool

  /// The columns for sessions.
  init(_ sessions: [StoredSession]) {
    names = SessionLabels.Name.allCases.filter { name in sessions.contains { $0.record.labels[name] != nil } }
    hasTags = sessions.contains { !$0.record.labels.tags.isEmpty }
  }

  /// The columns for sets of sessions, by what each of them has in common.
  init(_ sets: [CommonLabels]) {
    names = SessionLabels.Name.allCases.filter { name in sets.contains { $0.said.contains(name) } }
    hasTags = sets.contains { !$0.tags.isEmpty }
  }

  var columns: [Table.Column] {
    names.map { .name($0.rawValue).leaving(Self.turn($0)) } + (hasTags ? [.name("tags").leaving(1)] : [])
  }

  private static func turn(_ name: SessionLabels.Name) -> Int {
    switch name {
    case .release: 3
    case .service, .environment: 2
    case .instance: 1
    }
  }

  func cells(_ session: StoredSession) -> [Table.Cell] {
    let labels = session.record.labels
    return names.map { Table.Cell(labels[$0].map { DisplayText.name($0) } ?? "") } + cell(labels.tags)
  }

  /// The cells of a set of sessions, in which labels that differ are `several`.
  func cells(_ set: CommonLabels?) -> [Table.Cell] {
    guard let set else { return columns.map { _ in "" } }
    return names.map { name in
      set[name].map { Table.Cell(Self.text($0)) } ?? Table.Cell("several", tone: .faint)
    } + cell(set.tags)
  }

  private func cell(_ tags: [String: String]) -> [Table.Cell] {
    let list = tags.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    return hasTags ? [Table.Cell(Self.text(list))] : []
  }

  private static func text(_ label: String) -> String { label.isEmpty ? "" : DisplayText.name(label) }

  /// All labels that were set for a session, by name. Tags are `tag.NAME`, in the order of their names.
  static func all(_ session: StoredSession) -> [(name: String, value: String)] {
    let labels = session.record.labels
    var all: [(name: String, value: String)] = []
    for name in SessionLabels.Name.allCases {
      if let value = labels[name] { all.append((name.rawValue, value)) }
    }
    for (name, value) in labels.tags.sorted(by: { $0.key < $1.key }) { all.append(("tag.\(name)", value)) }
    return all
  }

  /// What a session says of service, release and environment, in words; empty where it says nothing.
  static func words(_ session: StoredSession) -> String {
    let labels = session.record.labels
    let said: [SessionLabels.Name] = [.service, .release, .environment]
    return said.compactMap { name in labels[name].map { "\(name.rawValue) \(DisplayText.name($0, to: 40))" } }
      .joined(separator: ", ")
  }
}
