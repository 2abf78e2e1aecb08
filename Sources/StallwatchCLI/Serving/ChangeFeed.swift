import StallwatchStore

/// Notifies pages when a store has changed. Checks the store only while a page listens.
actor ChangeFeed {
  private let path: String
  private let page: LivePage
  private var listeners: [Int: AsyncStream<String>.Continuation] = [:]
  private var nextListener = 0
  private var looking: Task<Void, Never>?
  /// Whether a session was running at the last check; nil before the first.
  private var isRecording: Bool?

  /// The time between two checks: pages hear of a change at most half a second later.
  private static let lookInterval = Duration.milliseconds(500)
  /// The time between keep-alive comments, because intermediaries close connections that look dead.
  private static let keepAliveInterval = Duration.seconds(15)

  /// A feed of changes to the store at `path`, which `page` shows.
  init(path: String, page: LivePage) {
    self.path = path
    self.page = page
  }

  /// The events for one page as lines of an event stream (HTML Living Standard, "Server-sent events"), until it closes.
  func events() -> AsyncStream<String> {
    let number = nextListener
    nextListener += 1
    // A page that does not keep up misses changes, but not the last one.
    let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(2))
    continuation.onTermination = { _ in Task { await self.forget(number) } }
    continuation.yield("retry: 2000\n\n")
    if isRecording == false { continuation.yield(Self.ended) }
    listeners[number] = continuation
    if looking == nil { looking = Task { await look() } }
    return stream
  }

  private func forget(_ number: Int) {
    listeners[number] = nil
    guard listeners.isEmpty else { return }
    looking?.cancel()
    looking = nil
  }

  private static let ended = "event: ended\ndata: 0\n\n"

  private func send(_ event: String) { for listener in listeners.values { listener.yield(event) } }

  private func look() async {
    let clock = ContinuousClock()
    var seen = StoreState(path: path)
    var number = 0
    var (sentAt, wroteAt) = (clock.now, clock.now)
    await lookForEnd()
    while !Task.isCancelled {
      try? await clock.sleep(for: Self.lookInterval)
      let now = StoreState(path: path)
      let pause = Pace.pause(after: await page.cost)
      if now != seen, sentAt.duration(to: clock.now) >= pause {
        (seen, sentAt, wroteAt) = (now, clock.now, clock.now)
        number += 1
        isRecording = true
        send("event: changed\ndata: \(number)\n\n")
      } else if isRecording == true, now == seen, sentAt.duration(to: clock.now) >= pause {
        sentAt = clock.now
        await lookForEnd()
      }
      if wroteAt.duration(to: clock.now) >= Self.keepAliveInterval {
        wroteAt = clock.now
        send(": still here\n\n")
      }
    }
  }

  /// Asks whether the recording ended, because a killed process changes nothing in the store.
  private func lookForEnd() async {
    isRecording = await page.isRecording()
    if isRecording == false { send(Self.ended) }
  }
}
