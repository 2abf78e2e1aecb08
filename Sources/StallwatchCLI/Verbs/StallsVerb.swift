import ArgumentParser
import StallwatchStore

/// `stallwatch stalls`.
struct StallsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stalls",
    abstract: "Says what held the run loops of a recording.")

  @OptionGroup var input: StoreArgument

  func run() throws {
    _ = try StoreReader(path: input.store)
  }
}
