import StallwatchCore

extension StoredWindow {
  /// What of the window lies before `moment`, without cells. Where the window is cut anywhere, the differences add up to it,
  /// to the nanosecond.
  package func before(_ moment: Nanoseconds) -> StoredWindow {
    let end = startedNs.saturatingAdd(length)
    var part = self
    part.cells = []
    guard moment < end else { return part }
    part.length = moment.since(startedNs)
    (part.busy, part.waiting, part.outside, part.iterations) = (0, 0, 0, 0)
    for piece in pieces {
      guard piece.startedNs < moment else { break }
      let stretch = ModeStretch(
        startNs: piece.startedNs, endNs: piece.startedNs.saturatingAdd(piece.length), busy: piece.busy,
        waiting: piece.waiting, outside: piece.outside, iterations: piece.iterations
      ).part(from: piece.startedNs, to: moment)
      // Cells hold less exact numbers than the window.
      part.busy = min(part.busy.saturatingAdd(stretch.busy), busy)
      part.waiting = min(part.waiting.saturatingAdd(stretch.waiting), waiting)
      part.outside = min(part.outside.saturatingAdd(stretch.outside), outside)
      part.iterations = min(part.iterations.saturatingAdd(stretch.iterations), iterations)
    }
    return part
  }
}
