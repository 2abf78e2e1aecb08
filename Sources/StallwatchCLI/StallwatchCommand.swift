import ArgumentParser
import StallwatchStore

/// The root of the command line: `stallwatch VERB`. Each verb has a file under Verbs/ and an entry in `subcommands`.
@main
struct StallwatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stallwatch",
    abstract: "Profiles run loops and watches them for stalls.",
    discussion: """
      Record a program, then ask what held its run loops:

        stallwatch record -o session.stallwatch ./App
        stallwatch report session.stallwatch
        stallwatch stalls session.stallwatch --format json
        stallwatch show session.stallwatch 12

      Exit codes: 0 done; 1 budget exceeded or regression found; 2 bad use or bad input; 3 the monitor could not do \
      its job. 'record' exits with the program's own status.
      """,
    version: Version.current,
    subcommands: [
      RecordVerb.self,
      ReportVerb.self,
      StallsVerb.self,
      ShowVerb.self, TimersVerb.self,
      ExportVerb.self,
      DiffVerb.self,
      CheckVerb.self,
      TopVerb.self,
      DumpVerb.self,
      ServeVerb.self,
      SymbolizeVerb.self,
      FleetVerb.self,
      MergeVerb.self,
      FleetVerb.self,
      PruneVerb.self,
      ShipVerb.self,
      CompactVerb.self,
      DemoVerb.self,
      DoctorVerb.self,
    ]
  )

  /// The most memory for SQLite, 100 MiB. Its page caches and sorts take some megabytes, whatever the store's size;
  /// only a hostile store makes it take more.
  private static let mostSQLiteMemory: Int64 = 100 << 20

  /// Runs the verb. Turns any error into one line on stderr and an exit code (see ``Failure``).
  static func main() {
    SQLiteLibrary.limitMemory(to: mostSQLiteMemory)
    do {
      let arguments = CString.arguments().dropFirst().map { String(decoding: $0.bytes, as: UTF8.self) }
      try requireVerb(arguments.first)
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch {
      Failure.exit(for: error)
    }
  }

  /// The verbs' names.
  static var verbs: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } }

  /// Throws `ValidationError` where `name` should be a verb and is none. The parser would call it an unexpected
  /// argument.
  private static func requireVerb(_ name: String?) throws {
    guard let name, !name.hasPrefix("-"), name != "help", !verbs.contains(name) else { return }
    throw ValidationError("Unknown verb '\(name)'.\(Suggestion.question(for: name, among: verbs))")
  }
}
