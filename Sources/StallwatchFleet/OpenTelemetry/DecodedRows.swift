import StallwatchCore

// Messages for a collector are made from the rows of a batch when it is sent.

extension RowOrigin {
  init(from decoder: inout RowDecoder) throws(RowDecoder.Damage) {
    let (service, release) = (try decoder.text(), try decoder.text())
    let (environment, instance) = (try decoder.text(), try decoder.text())
    self.init(
      session: try decoder.number(), service: service, release: release, environment: environment, instance: instance)
  }
}

extension ActivityRow {
  /// Reads a row that ``encode(into:)`` wrote, without its causes, because no metric has them.
  init(from decoder: inout RowDecoder) throws(RowDecoder.Damage) {
    let origin = try RowOrigin(from: &decoder)
    let (hour, lane) = (try decoder.number(UInt32.self), try decoder.number(UInt32.self))
    let (name, kind) = (try decoder.text(), try decoder.text())
    let isMain = try decoder.number(UInt8.self) != 0
    self.init(
      origin: origin, hour: hour, lane: lane, laneName: name, laneKind: kind, isMain: isMain,
      watched: try decoder.number(), version: 0)
    busy = try decoder.number()
    iterations = try decoder.number()
    stalls = try decoder.number()
    stalled = try decoder.number()
    hangs = try decoder.number()
    hang = try decoder.number()
    worst = try decoder.number()
    unattributed = try decoder.number()
    spans = try decoder.histogram()
    delays = try decoder.histogram()
    _ = try decoder.texts()
    for _ in 0..<5 { _ = try decoder.numbers(UInt64.self) }
    version = try decoder.number()
  }
}

extension StallRow {
  /// Reads a row that ``encode(into:)`` wrote.
  init(from decoder: inout RowDecoder) throws(RowDecoder.Damage) {
    let origin = try RowOrigin(from: &decoder)
    _ = try decoder.number(UInt32.self)
    let (started, number) = (try decoder.number(UInt64.self), try decoder.number(UInt64.self))
    let (lane, name) = (try decoder.number(UInt32.self), try decoder.text())
    let (kind, state, severity) = (try decoder.text(), try decoder.text(), try decoder.text())
    let (mode, phase) = (try decoder.text(), try decoder.text())
    self.init(
      origin: origin, started: started, number: number, lane: lane, laneName: name, kind: kind, state: state,
      severity: severity, mode: mode, phase: phase, duration: try decoder.number(), version: 0)
    running = try decoder.number()
    blocked = try decoder.number()
    starved = try decoder.number()
    signature = try decoder.text()
    call = try decoder.text()
    target = try decoder.text()
    annotations = try decoder.pairs().map { (name: $0, value: $1) }
    version = try decoder.number()
  }
}

extension SignatureRow {
  /// Reads a row that ``encode(into:)`` wrote.
  init(from decoder: inout RowDecoder) throws(RowDecoder.Damage) {
    let (service, signature, title) = (try decoder.text(), try decoder.text(), try decoder.text())
    let (function, file, line) = (try decoder.text(), try decoder.text(), try decoder.number(UInt32.self))
    let (call, called, near) = (try decoder.text(), try decoder.text(), try decoder.text())
    self.init(
      service: service, signature: signature, title: title, function: function, file: file, line: line, call: call,
      called: called, near: near, frames: try decoder.texts(), version: try decoder.number())
  }
}
