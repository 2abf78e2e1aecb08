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
      stalls. Keys: q quits, space pauses, ? lists the keys.

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
    var readings = try waiting.firstReading(of: input.store) { try LiveReadings(path: input.store, reading: reading) }
    guard !once, isatty(STDOUT_FILENO) == 1 else {
      let lines = LiveRenderer(style: Terminal.style(for: STDOUT_FILENO)).lines(readings.view, store: input.store)
      return try OutputDestination.writeToStandardOutput { try $0(lines.joined(separator: "\n") + "\n") }
    }
    let screen = try Screen()
    defer { screen.restore() }
    show(&readings, on: screen)
  }

  private static let patience: Int32 = 250
  private static let help = "q quits, space pauses, ? shows or hides the keys"

  private func show(_ readings: inout LiveReadings, on screen: Screen) {
    var (isPaused, showsHelp, isAnew) = (false, false, true)
    var trouble: String?
    while true {
      if !isPaused {
        do {
          if try readings.refresh() { trouble = nil }
        } catch {
          // The store may come back: a merge, a copy, or a new recording may take its place.
          trouble = "\(error)"
        }
      }
      let size = screen.size
      var style = Terminal.style(for: STDOUT_FILENO)
      style.width = size.columns
      let remark = trouble ?? (showsHelp ? Self.help : isPaused ? "paused; space resumes" : nil)
      screen.draw(
        LiveRenderer(style: style, height: size.lines).lines(readings.view, store: input.store, remark: remark),
        anew: isAnew)
      isAnew = false
      switch screen.wait(milliseconds: Self.patience) {
      case .key(UInt8(ascii: "q")), .end: return
      case .key(UInt8(ascii: " ")): isPaused.toggle()
      case .key(UInt8(ascii: "?")): showsHelp.toggle()
      case .resized: isAnew = true
      case .key, .nothing: break
      }
    }
  }
}
