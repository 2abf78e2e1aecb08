import ArgumentParser
import StallwatchReport
import StallwatchStore

/// `stallwatch compact`: gives a store's free pages back to the disk.
struct CompactVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Gives the room that a store no longer needs back to the disk.",
    discussion: """
      The store is written anew within its file, which keeps its owner and mode. That takes as much room for a moment \
      as the store itself. 'compact' refuses while somebody writes or reads the store. If it is interrupted, even by \
      SIGKILL, the store keeps its contents: a journal beside it restores them.

      Examples:

        stallwatch compact app.stallwatch
        stallwatch prune app.stallwatch --older-than 7d && stallwatch compact app.stallwatch
      """)

  @OptionGroup var input: StoreArgument

  func run() throws {
    let (before, after) = try StoreCompactor.compact(input.store)
    try OutputDestination.writeToStandardOutput {
      try $0("\(Figure.size(before)) before, \(Figure.size(after)) now\n")
    }
  }
}
