import ArgumentParser
import StallwatchStore

/// `stallwatch report`.
struct ReportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Says what held the run loops of a recording.")

  @OptionGroup var input: StoreArgument

  func run() throws {
    _ = try StoreReader(path: input.store)
  }
}
