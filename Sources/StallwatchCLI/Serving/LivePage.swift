import Foundation
import StallwatchFormats
import StallwatchReport
import StallwatchStore

/// The page for a store that may be growing; rebuilt only when the store has changed.
actor LivePage {
  /// A page, or the reason why there is none. All requests share one copy.
  struct Answer {
    var text: Data
    var failure: Failure?
  }

  private let path: String
  private let configuration: PageConfiguration
  private let reading: StoreReading
  private var known: (state: StoreState, answer: Answer)?
  /// How long it took to make the last page.
  private(set) var cost = Duration.zero

  /// The page for the store at `path`.
  init(path: String, configuration: PageConfiguration, reading: StoreReading) {
    self.path = path
    self.configuration = configuration
    self.reading = reading
  }

  /// The page for the store as it is now.
  func current() -> Answer {
    let state = StoreState(path: path)
    if let known, known.state == state { return known.answer }
    let began = ContinuousClock.now
    defer { cost = began.duration(to: .now) }
    do {
      let builder = PageBuilder(configuration: configuration, search: reading.search)
      let page = try StoreReader.undisturbed {
        try builder.build(from: reading.reader(of: StoreReader(path: path), path: path), store: path)
      }
      var text = ""
      try HTMLRenderer(configuration: configuration.report, live: true).render(page) { text += $0 }
      let answer = Answer(text: Data(text.utf8))
      if let state { known = (state, answer) }
      return answer
    } catch {
      let failure = Failure(error)
      return Answer(text: Data(failure.message.utf8), failure: failure)
    }
  }

  /// A detail that the page had no room for: `stall/ID`, or `busy/SESSION/FROM/TO` in microseconds from the session's
  /// start. Nil where these words ask for nothing that there is.
  func detail(_ words: [Substring]) -> Answer? {
    let numbers = words.dropFirst().map { UInt64($0) }
    guard let kind = words.first, !numbers.contains(nil) else { return nil }
    let asked = numbers.compactMap(\.self)
    do {
      return try StoreReader.undisturbed {
        let reader = try reading.reader(of: StoreReader(path: path), path: path)
        let details = PageDetails(reader, configuration: configuration, search: reading.search)
        switch (kind, asked.count) {
        case ("stall", 1):
          return try details.story(of: Int64(clamping: asked[0])).map {
            Answer(text: Data(try PageDetailsRenderer.text($0).utf8))
          }
        case ("busy", 3) where asked[1] < asked[2] && asked[2] <= .max / 1_000:
          return try details.busy(session: Int64(clamping: asked[0]), range: asked[1] * 1_000..<asked[2] * 1_000).map {
            Answer(text: Data(try PageDetailsRenderer.text($0).utf8))
          }
        default: return nil
        }
      }
    } catch {
      let failure = Failure(error)
      return Answer(text: Data(failure.message.utf8), failure: failure)
    }
  }

  /// Whether a process is still writing a session of the store. Also false where the store cannot be read.
  func isRecording() -> Bool {
    (try? StoreReader(path: path).sessions().contains { $0.ended == .running }) ?? false
  }
}
