import StallwatchStore

/// Tells pages when a store has changed. Looks at it only while a page listens.
actor ChangeFeed {
  private let path: String
  private let page: LivePage
  private var listeners: [Int: AsyncStream<String>.Continuation] = [:]
  private var nextListener = 0
  private var looking: Task<Void, Never>?
  /// Whether a session was going on at the last look; nil before the first.
  private var isRecording: Bool?

  /// Between two looks at the file: a change is told half a second later at most.
  private static let lookInterval = Duration.milliseconds(500)
  /// Between two changes that are told, at least: a page that flickers is not read.
  private static let leastInterval = Duration.seconds(1)
  /// Of the time at most a fifth goes into making pages.
  private static let costFactor = 5
  /// A comment that often, for connections that look dead are closed by whatever lies between.
  private static let keepAliveInterval = Duration.seconds(15)

  /// A feed of changes of the store at `path`, which `page` shows.
  init(path: String, page: LivePage) {
    self.path = path
    self.page = page
  }

  /// The events for one page, as lines of an event stream (HTML Living Standard, "Server-sent events"), until it is gone.
  func events() -> AsyncStream<String> {
    let number = nextListener
    nextListener += 1
    // A page that does not keep up misses changes, not the last one.
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

  private func tell(_ event: String) { for listener in listeners.values { listener.yield(event) } }

  private func look() async {
    let clock = ContinuousClock()
    var seen = StoreState(path: path)
    var number = 0
    var (toldAt, wroteAt) = (clock.now, clock.now)
    await lookForEnd()
    while !Task.isCancelled {
      try? await clock.sleep(for: Self.lookInterval)
      let now = StoreState(path: path)
      let pause = max(Self.leastInterval, await page.cost * Self.costFactor)
      if now != seen, toldAt.duration(to: clock.now) >= pause {
        (seen, toldAt, wroteAt) = (now, clock.now, clock.now)
        number += 1
        isRecording = true
        tell("event: changed\ndata: \(number)\n\n")
      } else if isRecording == true, now == seen, toldAt.duration(to: clock.now) >= pause {
        toldAt = clock.now
        await lookForEnd()
      }
      if wroteAt.duration(to: clock.now) >= Self.keepAliveInterval {
        wroteAt = clock.now
        tell(": still here\n\n")
      }
    }
  }

  /// A process that was killed changes nothing: it has to be asked after.
  private func lookForEnd() async {
    isRecording = await page.isRecording()
    if isRecording == false { tell(Self.ended) }
  }
}
