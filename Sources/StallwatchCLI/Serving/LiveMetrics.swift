import Foundation
import StallwatchFormats
import StallwatchReport
import StallwatchStore

/// The page of metrics for a store that may be growing: what is still in a live region, too. Each format is made anew
/// at most once a second, and in at most a fifth of the time, however many scrape, also while that fails; never while
/// nobody records and the store is the same.
actor LiveMetrics {
  private let path: String
  private let reading: StoreReading
  private var known: [ExportFormat: Known] = [:]

  /// A page as it was made, or the reason why there is none.
  private struct Known {
    var state: StoreState?
    var isRecording: Bool
    var answer: LivePage.Answer
    var madeAt: ContinuousClock.Instant
    var cost: Duration
  }

  /// The metrics of what `reading` asks for of the store at `path`.
  init(path: String, reading: StoreReading) { (self.path, self.reading) = (path, reading) }

  /// The page in the format that the client prefers: OpenMetrics if it names it, else Prometheus's text format.
  func answer(to request: RequestHead) -> PageAnswer {
    let isOpenMetrics = request.accept.contains("application/openmetrics-text")
    let answer = current(isOpenMetrics ? .openmetrics : .prometheus)
    guard answer.failure == nil else {
      return PageAnswer(status: "503 Service Unavailable", kind: "text/plain; charset=utf-8", body: .whole(answer.text))
    }
    let kind = isOpenMetrics ? "application/openmetrics-text; version=1.0.0" : "text/plain; version=0.0.4"
    return PageAnswer(status: "200 OK", kind: kind + "; charset=utf-8", body: .whole(answer.text))
  }

  private func current(_ format: ExportFormat) -> LivePage.Answer {
    let (state, began) = (StoreState(path: path), ContinuousClock.now)
    if let known = known[format] {
      let isRecent = known.madeAt.duration(to: began) < Pace.pause(after: known.cost)
      if isRecent || (known.state == state && !known.isRecording) { return known.answer }
    }
    let (answer, isRecording) = made(format)
    known[format] = Known(
      state: state, isRecording: isRecording, answer: answer, madeAt: .now, cost: began.duration(to: .now))
    return answer
  }

  private func made(_ format: ExportFormat) -> (answer: LivePage.Answer, isRecording: Bool) {
    do {
      return try StoreReader.undisturbed {
        var text = ""
        let contents = try reading.reader(of: StoreReader(path: path), path: path)
        try StoreExport(contents, search: reading.search).write(format) { text += $0 }
        let isRecording = try contents.sessions().contains { $0.ended == .running }
        return (LivePage.Answer(text: Data(text.utf8)), isRecording)
      }
    } catch {
      let failure = Failure(error)
      return (LivePage.Answer(text: Data((failure.message + "\n").utf8), failure: failure), true)
    }
  }
}
