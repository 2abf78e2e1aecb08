#if os(Linux)
  import CStallwatch
  import StallwatchLibc
  import StallwatchCore

  /// A request that a running thread has not answered yet.
  final class OpenRequest {
    let number: Int32
    /// The index in `signals` of the signal that asked it.
    let signal: Int
    /// The thread's clock then.
    @exclusivity(unchecked) private(set) var asked: ThreadReading
    /// … and when the thread was last looked at.
    @exclusivity(unchecked) var seen: ThreadReading
    /// Whether its answer was taken: it only waits to ask the thread again.
    @exclusivity(unchecked) var isTaken = false
    /// Whether it is over, and its number another's.
    @exclusivity(unchecked) var isWithdrawn = false

    init(number: Int32, signal: Int, _ reading: ThreadReading) {
      (self.number, self.signal) = (number, signal)
      (asked, seen) = (reading, reading)
    }

    /// Begins anew, as the thread was asked once more.
    func begin(_ reading: ThreadReading) {
      (asked, seen, isTaken) = (reading, reading, false)
    }
  }

  extension LinuxThreadSampler {
    /// The result of asking a running thread.
    enum Answer {
      case answered(CapturedStack)
      /// Only one page of the stack was copied, because its bounds were not known. Now they are: ask again.
      case partly(CapturedStack)
      /// The thread may have blocked meanwhile: look again.
      case notYet
      /// It was asked a moment ago, and this pass has no time left to wait.
      case later
      case tooLate
      case refused
    }

    /// Asks a running thread for its stack, unless a request is open. Sleeps briefly if there is no answer yet, so that
    /// the caller can check whether the thread has blocked meanwhile.
    func askRunning(_ threadID: UInt64, started: Nanoseconds, since earliest: Nanoseconds) -> Answer {
      if requests[threadID]?.isTaken == true { withdrawRequest(to: threadID) }
      guard let request = requests[threadID] ?? ask(threadID) else { return .refused }
      requests[threadID] = request
      // A signal that could end the program must be waited for: the end of the look takes it back.
      let mustEnd = signals[request.signal].signal != stallwatch_harmless_signal
      let end = mustEnd ? started + configuration.patience : min(started + configuration.patience, passEnd)
      switch stallwatch_find_request_state(request.number) {
      case stallwatch_request_answered:
        requests[threadID] = nil
        defer { stallwatch_release(request.number) }
        return answer(of: request, since: earliest)
      case stallwatch_request_open where Platform.now() < end:
        sleep(until: min(end, Platform.now() + configuration.lookAgain))
        return .notYet
      case stallwatch_request_open where Platform.now().since(request.asked.atNs) < configuration.patience && !mustEnd:
        return .later
      case stallwatch_request_open:
        let signal = signals[request.signal]
        // Checked only now: while its handler runs, every thread blocks the signals.
        let isDeaf = !signal.isTaken(by: blockedSignals(of: threadID))
        if isDeaf { takenSignals[threadID] = nil }
        // Takes back a signal that could end the program; the harmless one may be answered until the next look.
        if isDeaf || signal.signal != stallwatch_harmless_signal { withdrawRequest(to: threadID) }
        return isDeaf ? .refused : .tooLate
      default:
        requests[threadID] = nil
        return Platform.now() < end ? .notYet : .tooLate
      }
    }

    private func sleep(until moment: Nanoseconds) {
      var time = timespec(tv_sec: Int(moment / .second), tv_nsec: Int(moment % .second))
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
    }

    func blockedSignals(of threadID: UInt64) -> UInt64 {
      var blocked: UInt64 = 0
      _ = stallwatch_thread_letter(threadID, &blocked)
      return blocked
    }

    func withdraw(threadID: UInt64) {
      endFollowing(threadID)
      withdrawRequest(to: threadID)
    }

    /// Drops the request to a thread, if there is one.
    func withdrawRequest(to threadID: UInt64) {
      guard !requests.isEmpty, let request = requests.removeValue(forKey: threadID) else { return }
      stallwatch_release(request.number)
      request.isWithdrawn = true
    }

    func stop() {
      for threadID in Array(requests.keys) { withdrawRequest(to: threadID) }
      for threadID in Array(followed.keys) { endFollowing(threadID) }
      rest(heldBefore: .max)
      for place in signals.indices { signals[place].end() }
    }

    func ask(_ threadID: UInt64) -> OpenRequest? {
      guard configuration.usesSignal else {
        health.signalObstacle = .configuration
        return nil
      }
      let now = Platform.now()
      for (threadID, request) in requests where now.since(request.asked.atNs) > Self.longestRequest {
        withdrawRequest(to: threadID)
      }
      guard backoff.isOver(at: now), let place = signal(takenBy: threadID) else { return nil }
      defer { health.signalObstacle = signals[place].obstacle }
      guard signals[place].isAllowed() else {
        for (threadID, request) in requests where request.signal == place { withdrawRequest(to: threadID) }
        return nil
      }
      var number: Int32 = 0
      let bounds = stacks.bounds(of: threadID)
      var result = stallwatch_ask(threadID, signals[place].signal, bounds, &number)
      if result == stallwatch_ask_full, let oldest = requests.min(by: { $0.value.asked.atNs < $1.value.asked.atNs }) {
        withdrawRequest(to: oldest.key)
        result = stallwatch_ask(threadID, signals[place].signal, bounds, &number)
      }
      switch result {
      case stallwatch_asked:
        backoff.end()
        return OpenRequest(number: number, signal: place, ThreadReading(of: threadID))
      case stallwatch_ask_later:
        health.withoutTimer += 1
        backoff.wait(from: now)
      case stallwatch_ask_refused: signals[place].forbid(.system)
      default: break
      }
      return nil
    }

    /// A request older than this is about a stall that is long over.
    private static let longestRequest = Nanoseconds.second
    /// The most threads kept in `takenSignals`; with more, all are looked up again.
    private static let mostThreads = 2_048

    /// The index of the first signal that a thread does not block. Looked up once, because reading a thread's mask
    /// takes longer than asking it.
    func signal(takenBy threadID: UInt64) -> Int? {
      if let known = takenSignals[threadID] { return known }
      let blocked = blockedSignals(of: threadID)
      let found = signals.indices.first { signals[$0].isTaken(by: blocked) }
      if takenSignals.count >= Self.mostThreads { takenSignals.removeAll() }
      takenSignals[threadID] = found
      return found
    }

    func answer(of request: OpenRequest, since earliest: Nanoseconds) -> Answer {
      var answer = stallwatch_answer()
      guard stallwatch_take_answer(request.number, &answer), answer.taken_ns >= earliest else { return .notYet }
      var captured = CapturedStack(
        threadID: answer.thread_id, atNs: answer.taken_ns, activity: .running, method: .interrupted)
      captured.pause = answer.paused_ns
      let thread = followed(answer.thread_id)
      captured.take(walker.walk(answer.registers, answer.stack, thread?.trail), like: thread?.lastFrames)
      thread?.lastFrames = captured.frames
      if answer.is_within_bounds || captured.isComplete || !stacks.seek(answer, at: Platform.now()) {
        return .answered(captured)
      }
      return .partly(captured)
    }
  }
#endif
