import ArgumentParser
import StallwatchCore

/// What `record` says of the sessions that it records. The environment decides what is not given, and the defaults of
/// ``SessionLabels`` where they are read.
struct LabelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("What the program is called. Default: its file's name.", valueName: "name"),
    transform: { try Self.text($0) })
  var service: String?

  @Option(
    help: ArgumentHelp("The program's version. Default: the beginning of its build-id.", valueName: "version"),
    transform: { try Self.text($0) })
  var release: String?

  @Option(
    help: ArgumentHelp("Where it runs, such as 'production'.", valueName: "name"), transform: { try Self.text($0) })
  var environment: String?

  @Option(
    help: ArgumentHelp("What it runs on. Default: the machine's name.", valueName: "name"),
    transform: { try Self.text($0) })
  var instance: String?

  @Option(
    name: .customLong("tag"),
    help: ArgumentHelp("Another fact about the sessions. May be given several times.", valueName: "name=value"),
    transform: { try Self.tag($0) })
  var tags: [SessionLabels.Tag] = []

  func validate() throws {
    guard Set(tags.map(\.name)).count == tags.count else { throw ValidationError("A tag is given twice.") }
    guard tags.count <= SessionLabels.mostTags else {
      throw ValidationError("There may be at most \(SessionLabels.mostTags) tags.")
    }
  }

  /// Passes the labels to the monitor through the environment, and with it to the programs that the program starts. Tags
  /// of other names that are in the environment stay.
  func set(in environment: inout ProgramEnvironment) {
    let texts: [(SessionLabels.Name, String?)] = [
      (.service, service), (.release, release), (.environment, self.environment), (.instance, instance),
    ]
    for (name, text) in texts { if let text { environment.set(MonitorVariable(name), to: text) } }
    guard !tags.isEmpty else { return }
    var all = environment[MonitorVariable.tags.rawValue].flatMap { SessionLabels.tags(inList: $0) } ?? [:]
    for tag in tags { all[tag.name] = tag.value }
    environment.set(.tags, to: SessionLabels.list(of: all))
  }

  /// What in the environment the monitor would not accept; nil where nothing is.
  func fault(in environment: ProgramEnvironment) -> (variable: MonitorVariable, value: String, expected: String)? {
    let isGiven: [SessionLabels.Name: Bool] = [
      .service: service != nil, .release: release != nil, .environment: self.environment != nil,
      .instance: instance != nil,
    ]
    for name in SessionLabels.Name.allCases where isGiven[name] != true {
      let variable = MonitorVariable(name)
      guard let text = environment[variable.rawValue], !text.isEmpty, !SessionLabels.isFit(text) else { continue }
      return (variable, text, SessionLabels.expectedText)
    }
    guard let text = environment[MonitorVariable.tags.rawValue], !text.isEmpty else { return nil }
    let known = SessionLabels.tags(inList: text)
    let all = known.map { Set($0.keys).union(tags.map(\.name)).count }
    guard let all, all <= SessionLabels.mostTags else { return (.tags, text, SessionLabels.expectedTags) }
    return nil
  }

  private static func text(_ text: String) throws -> String {
    guard SessionLabels.isFit(text) else { throw ValidationError("it must be \(SessionLabels.expectedText)") }
    return text
  }

  /// The tag that `text` writes. Throws where it writes none.
  static func tag(_ text: String) throws -> SessionLabels.Tag {
    guard let tag = SessionLabels.Tag(text) else { throw ValidationError("it must be \(SessionLabels.expectedTag)") }
    return tag
  }
}
