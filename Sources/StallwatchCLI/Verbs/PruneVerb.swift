import ArgumentParser
import StallwatchCore
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch prune`: removes what is too old or too much from a store.
struct PruneVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Removes what is too old, or too much, from a store.",
    discussion: """
      Sessions older than the age go as a whole. For the size, the oldest detail goes first (cells of time, ticks, \
      samples), then whole sessions. Windows of time also grow coarser with their age, as during a recording. Sessions \
      that are being recorded are left to their own monitors. The file keeps its length and reuses the room; 'compact' \
      gives it back. You can interrupt 'prune' at any moment. JSON has the schema stallwatch.prune/1.

      Examples:

        stallwatch prune app.stallwatch --older-than 7d
        stallwatch prune app.stallwatch --max-size 20MB --dry-run
        stallwatch prune app.stallwatch --older-than 30d --max-size 64MB --format json
      """)

  @OptionGroup var input: StoreArgument

  @Option(
    help: ArgumentHelp(
      "Remove sessions whose last sign of life is longer ago than this, 1h or more.", valueName: "duration"),
    transform: Self.age)
  var olderThan: DurationArgument?

  @Option(
    help: ArgumentHelp("Remove the oldest until no more than this is used, 1MB or more.", valueName: "size"),
    transform: Self.size)
  var maxSize: Int64?

  @Flag(help: "Say what would be removed, and change nothing.")
  var dryRun = false

  @Option(help: "The output format.")
  var format: ListFormat = .text

  @Sendable
  private static func age(_ text: String) throws -> DurationArgument {
    guard let age = SettingRange.retentionAge.parse(text) else {
      throw ValidationError("it must be \(SettingRange.retentionAge.expected)")
    }
    return DurationArgument(age)
  }

  @Sendable
  private static func size(_ text: String) throws -> Int64 {
    guard let size = SettingRange<Int64>.retentionSize.parse(text) else {
      throw ValidationError("it must be \(SettingRange<Int64>.retentionSize.expected)")
    }
    return size
  }

  func validate() throws {
    guard olderThan != nil || maxSize != nil else {
      throw ValidationError("There is nothing to prune by: give --older-than, --max-size, or both.")
    }
  }

  func run() throws {
    let limits = RetentionLimits(maximumAge: olderThan?.nanoseconds, maximumSize: maxSize)
    let pruner = try StorePruner(input.store, limits: limits, rehearsing: dryRun)
    let progress = ReadingProgress()
    defer { progress.end() }
    let outcome = try pruner.run(wallNow: Self.wallNow()) { used in
      progress.update("\(Figure.size(used)) still used in \(input.store)", verb: "pruning")
    }
    progress.end()
    try OutputDestination.writeToStandardOutput { sink in
      switch format {
      case .text: try sink(PruneRenderer.text(outcome, isRehearsal: dryRun))
      case .json: try PruneRenderer.json(outcome, isRehearsal: dryRun, into: sink)
      }
    }
  }

  private static func wallNow() -> Nanoseconds {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Nanoseconds(max(time.tv_sec, 0)) * .second + Nanoseconds(time.tv_nsec)
  }
}
