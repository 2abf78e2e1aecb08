#if os(Linux)
  import CStallwatch
  import Glibc
  import StallwatchCore

  /// A request that a running thread has not answered yet.
  struct OpenRequest {
    var number: Int32
    var askedNs: Nanoseconds
  }

  extension LinuxThreadSampler {
    /// What came of asking a running thread.
    enum Answer {
      case answered(CapturedStack)
      /// It may have blocked meanwhile: look again.
      case notYet
      case tooLate
      case refused
    }

    /// Asks a running thread for its stack, unless that was done before, and waits a little for the answer.
    func askRunning(_ threadID: UInt64, started: Nanoseconds) -> Answer {
      guard let request = requests[threadID] ?? ask(threadID) else { return .refused }
      requests[threadID] = request
      let end = started + configuration.patience
      let state = stallwatch_await(request.number, min(end, Platform.now() + configuration.lookAgain))
      switch state {
      case stallwatch_request_answered:
        requests[threadID] = nil
        defer { stallwatch_release(request.number) }
        return read(request).map(Answer.answered) ?? .notYet
      case stallwatch_request_open: return Platform.now() >= end ? .tooLate : .notYet
      default:
        requests[threadID] = nil
        return Platform.now() >= end ? .tooLate : .notYet
      }
    }

    func withdraw(threadID: UInt64) {
      guard let request = requests.removeValue(forKey: threadID) else { return }
      stallwatch_release(request.number)
    }

    func stop() {
      for threadID in Array(requests.keys) { withdraw(threadID: threadID) }
      signal.end()
    }

    private func ask(_ threadID: UInt64) -> OpenRequest? {
      defer { health.signalObstacle = signal.obstacle }
      if !configuration.usesSignal { signal.forbid(.configuration) }
      guard signal.isAllowed() else {
        for threadID in Array(requests.keys) { withdraw(threadID: threadID) }
        return nil
      }
      var blocksSignal = false
      guard stallwatch_thread_letter(threadID, SIGPROF, &blocksSignal) != 0, !blocksSignal else { return nil }
      var number: Int32 = 0
      var result = stallwatch_ask(threadID, &number)
      if result == stallwatch_ask_full, let oldest = requests.min(by: { $0.value.askedNs < $1.value.askedNs }) {
        withdraw(threadID: oldest.key)
        result = stallwatch_ask(threadID, &number)
      }
      switch result {
      case stallwatch_asked: return OpenRequest(number: number, askedNs: Platform.now())
      case stallwatch_ask_refused: signal.forbid(.system)
      default: break
      }
      return nil
    }

    private func read(_ request: OpenRequest) -> CapturedStack? {
      var answer = stallwatch_answer()
      guard stallwatch_take_answer(request.number, &answer) else { return nil }
      var captured = CapturedStack(
        threadID: answer.thread_id, atNs: answer.taken_ns, activity: .running, method: .interrupted)
      captured.pause = answer.paused_ns
      captured.take(walk(answer.registers, answer.stack))
      return captured
    }
  }
#endif
