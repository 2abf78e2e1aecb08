import ArgumentParser
import StallwatchStore

/// `stallwatch merge`: merges many stores into one.
struct MergeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Copies the sessions of several stores into one.",
    discussion: """
      Sessions stay separate. 'merge' skips a session that the store already has, unless that session has gone on \
      since then, so you can repeat a merge or add to a store. 'merge' names and leaves out a store that it cannot \
      read, copies all others, and exits with 2. It does not change the stores that it reads.

      Examples:

        stallwatch merge -o all.stallwatch runs/*.stallwatch
        stallwatch merge -o week.stallwatch monday.stallwatch tuesday.stallwatch
      """)

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The store to merge into; created if it does not exist.", valueName: "file"),
    completion: .file())
  var path: String

  @Argument(help: "The stores to merge.", completion: .file())
  var stores: [String]

  func run() throws {
    if let same = stores.first(where: { FileIdentity.isSame($0, path) }) {
      throw Failure(.badInput, "\(same): is the store to merge into; leave it out of the stores to merge")
    }
    let target = try MergeTarget(path)
    var (sum, leftOut) = (StoreMerger.Outcome(), 0)
    let progress = ReadingProgress()
    do {
      let merger = try StoreMerger(into: target.path)
      for (number, store) in stores.enumerated() {
        progress.update("\(number) of \(stores.count) stores")
        do {
          let outcome = try merger.add(store)
          sum.add(outcome)
          if outcome.running > 0 {
            progress.end()
            StandardError.print(
              "stallwatch: \(store): left out \(Self.count(outcome.running, "session")) still being recorded; merge it "
                + "again when the recording has ended")
          }
        } catch let error as StoreError where error.path == store {
          progress.end()
          StandardError.print("stallwatch: left out: \(error)")
          leftOut += 1
        }
      }
    } catch let error as StoreError {
      target.discard()
      // The file may be written under a temporary name; name it as the user did.
      throw Failure(error.about(path))
    } catch {
      target.discard()
      throw error
    }
    progress.end()
    let isEmpty = sum.added + sum.replaced + sum.known == 0
    if isEmpty { target.discard() } else { try target.commit() }
    try OutputDestination.writeToStandardOutput {
      try $0(
        "\(Self.count(sum.added, "session")) added, \(sum.replaced) replaced, \(sum.known) already there, from "
          + "\(Self.count(stores.count - leftOut, "store"))\n")
    }
    if leftOut > 0 {
      throw Failure(
        .badInput, "\(Self.count(leftOut, "store")) left out, see above\(isEmpty ? "; nothing was merged" : "")")
    }
    if isEmpty { throw Failure(.badInput, "no session to merge; \(path) was not written") }
  }

  private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

extension StoreMerger.Outcome {
  fileprivate mutating func add(_ other: Self) {
    added += other.added
    replaced += other.replaced
    known += other.known
    running += other.running
  }
}
