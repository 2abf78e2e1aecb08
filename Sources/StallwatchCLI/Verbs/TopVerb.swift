import ArgumentParser
import StallwatchFormats
import StallwatchLibc
import StallwatchStore

/// `stallwatch top`: shows a recording in progress in a terminal.
struct TopVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows a recording live in the terminal.",
    discussion: """
      Shows what holds a loop right now, with its stack; how busy each loop is; timers that drop fires; and the last \
      stalls. Keys: arrows choose a stall and Enter shows it, q quits, space pauses, ? lists \
      the keys.

      Examples:

        stallwatch record -o session.stallwatch ./App &
        stallwatch top session.stallwatch
        stallwatch top session.stallwatch --once
        stallwatch top session.stallwatch --loop main --last 10m
      """)

  @OptionGroup var input: StoreArgument

  @Flag(help: "Print one view and exit.")
  var once = false

  @OptionGroup var waiting: StoreWait

  @OptionGroup var symbols: SymbolsOption

  @OptionGroup(title: "What to read") var filter: FilterOptions

  func run() throws {
    let reading = try StoreReading(filter, symbols)
    let readings = try waiting.firstReading(of: input.store) { try LiveReadings(path: input.store, reading: reading) }
    guard !once, isatty(STDOUT_FILENO) == 1 else {
      let lines = LiveRenderer(style: Terminal.style(for: STDOUT_FILENO)).lines(readings.view, store: input.store)
      return try OutputDestination.writeToStandardOutput { try $0(lines.joined(separator: "\n") + "\n") }
    }
    let screen = try Screen()
    defer { screen.restore() }
    var top = TopScreen(readings, store: input.store)
    top.show(on: screen)
  }
}
