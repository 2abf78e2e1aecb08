import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The columns of what sessions say that they are: only those in which one of them says something.
struct SaidLabels {
  private let names: [SessionLabels.Name]
  private let hasTags: Bool

  init(_ sessions: [StoredSession]) {
    names = SessionLabels.Name.allCases.filter { name in sessions.contains { $0.record.labels[name] != nil } }
    hasTags = sessions.contains { !$0.record.labels.tags.isEmpty }
  }

  var columns: [Table.Column] {
    names.map { .name($0.rawValue).leaving($0 == .release ? 3 : 1) } + (hasTags ? [.name("tags").leaving(1)] : [])
  }

  func cells(_ session: StoredSession) -> [Table.Cell] {
    let labels = session.record.labels
    let tags = labels.tags.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    return names.map { Table.Cell(labels[$0].map { DisplayText.name($0) } ?? "") }
      + (hasTags ? [Table.Cell(DisplayText.name(tags))] : [])
  }

  /// What a session says of service, release and environment, in words; empty where it says nothing.
  static func words(_ session: StoredSession) -> String {
    let labels = session.record.labels
    let said: [SessionLabels.Name] = [.service, .release, .environment]
    return said.compactMap { name in labels[name].map { "\(name.rawValue) \(DisplayText.name($0, to: 40))" } }
      .joined(separator: ", ")
  }
}
