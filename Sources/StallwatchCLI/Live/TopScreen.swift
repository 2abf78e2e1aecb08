import StallwatchFormats
import StallwatchLibc
import StallwatchReport

/// What `top` shows, and what its keys do.
struct TopScreen {
  private var readings: LiveReadings
  private let store: String
  private var (isPaused, showsHelp) = (false, false)
  /// The row of the chosen stall, which keeps it while others come; nil for none.
  private var chosen: Int64?
  /// The stall that is shown instead of the recording.
  private var opened: StallDetail?
  /// Why the store cannot be read at the moment.
  private var trouble: String?

  private static let patience: Int32 = 250
  private static let help =
    "q quits, space pauses, ↓ and ↑ choose a stall, Enter shows it, Escape goes back, ? shows or hides the keys"

  init(_ readings: LiveReadings, store: String) { (self.readings, self.store) = (readings, store) }

  /// Shows the recording until a key, a signal or the lost terminal ends that.
  mutating func show(on screen: Screen) {
    var isAnew = true
    while true {
      if !isPaused, opened == nil { refresh() }
      draw(on: screen, anew: isAnew)
      let input = screen.wait(milliseconds: Self.patience)
      if [.key(UInt8(ascii: "q")), .end].contains(input) { return }
      isAnew = input == .resized
      take(input)
    }
  }

  private mutating func refresh() {
    do {
      if try readings.refresh() { trouble = nil }
    } catch {
      // The store may come back: a merge, a copy, or a new recording may take its place.
      trouble = "\(error)"
    }
  }

  private func draw(on screen: Screen, anew: Bool) {
    let size = screen.size
    var style = Terminal.style(for: STDOUT_FILENO)
    style.width = size.columns
    if let opened {
      let text = StallTextRenderer(style: style).render(opened)
      return screen.draw(
        text.split(separator: "\n", omittingEmptySubsequences: false).prefix(size.lines).map(String.init), anew: anew)
    }
    let remark = trouble ?? (showsHelp ? Self.help : isPaused ? "paused; space resumes" : nil)
    screen.draw(
      LiveRenderer(style: style, height: size.lines).lines(readings.view, store: store, remark: remark, chosen: chosen),
      anew: anew)
  }

  private mutating func take(_ input: Screen.Input) {
    // The next reading says so again if it lasts.
    if input != .nothing { trouble = nil }
    switch input {
    case .down where opened == nil: choose { ($0 ?? -1) + 1 }
    case .up where opened == nil: choose { ($0 ?? 1) - 1 }
    case .key(UInt8(ascii: "\n")) where opened == nil:
      guard let chosen else { return }
      do {
        opened = try readings.detail(of: chosen)
        if opened == nil { trouble = "stall \(chosen) is no longer in the store" }
      } catch {
        trouble = "\(error)"
      }
    case .key(UInt8(ascii: "\n")), .key(Screen.escape):
      if opened == nil { chosen = nil }
      opened = nil
    case .key(UInt8(ascii: " ")): isPaused.toggle()
    case .key(UInt8(ascii: "?")): showsHelp.toggle()
    case .up, .down, .key, .resized, .end, .nothing: break
    }
  }

  /// Chooses the stall at another place in the list, the nearest that there is. `place` gets the present one.
  private mutating func choose(_ place: (Int?) -> Int) {
    let last = readings.view.reading.last.map(\.stall.id)
    guard !last.isEmpty else { return }
    let present = chosen.flatMap { last.firstIndex(of: $0) }
    chosen = last[min(max(place(present), 0), last.count - 1)]
  }
}
