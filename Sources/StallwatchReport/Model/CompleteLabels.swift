import StallwatchCore
import StallwatchStore

/// What a session is of: its labels with defaults for what was not said. This is the one place that knows the defaults.
package struct CompleteLabels: Sendable, Hashable {
  /// What the program is called: as it was said; otherwise the name of its file. Never empty.
  package var service: String
  /// Which version of it ran: as it was said; otherwise the first ``releaseDigits`` digits of its own build-id; otherwise
  /// ``unknown``. Never empty.
  package var release: String
  /// Where it ran, as it was said; otherwise empty.
  package var environment: String
  /// What it ran on: as it was said; otherwise the machine's name. Never empty.
  package var instance: String
  /// Other facts, by name.
  package var tags: [String: String]
  /// Whether nobody said what it ran on, so that ``instance`` is the machine's name.
  package var isInstanceDefaulted: Bool

  /// In place of a release, a service or an instance that nobody knows.
  package static let unknown = "unknown"
  /// How many digits of a build-id stand for a release: as many as of a signature's key.
  package static let releaseDigits = 12

  /// The labels of a session. `programBuildID` is only asked where nobody said the release, and the session has no
  /// build-id of its own: an older monitor wrote it.
  package init(_ session: StoredSession, programBuildID: () throws -> String?) rethrows {
    let (record, labels) = (session.record, session.record.labels)
    let named = { (text: String) in text.isEmpty ? Self.unknown : text }
    service = named(labels.service ?? Self.programName(record.command))
    if let said = labels.release {
      release = named(said)
    } else {
      release = named(String(try (record.programBuildID ?? programBuildID() ?? "").prefix(Self.releaseDigits)))
    }
    environment = labels.environment ?? ""
    instance = named(labels.instance ?? record.process.host)
    tags = labels.tags
    isInstanceDefaulted = labels.instance == nil
  }

  /// The name of the program's file in a command line; empty for none.
  package static func programName(_ command: [String]) -> String {
    command.first.flatMap { $0.split(separator: "/").last.map(String.init) } ?? ""
  }

  /// The label of a name.
  package subscript(name: SessionLabels.Name) -> String {
    switch name {
    case .service: service
    case .release: release
    case .environment: environment
    case .instance: instance
    }
  }
}

extension StoreContents {
  /// The labels of a session, complete. Reads its images where an older monitor wrote it without labels.
  package func labels(of session: StoredSession) throws -> CompleteLabels {
    try CompleteLabels(session) {
      let name = CompleteLabels.programName(session.record.command)
      return try images(session: session.id).first { CompleteLabels.programName([$0.path]) == name }?.buildID
    }
  }
}
