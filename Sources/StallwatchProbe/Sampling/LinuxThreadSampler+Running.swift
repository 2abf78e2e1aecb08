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

    /// Asks a running thread for its stack, unless it was asked before. Sleeps a little when there is no answer yet, so that the
    /// caller can look whether the thread has blocked meanwhile.
    func askRunning(_ threadID: UInt64, started: Nanoseconds) -> Answer {
      if deafThreads.contains(threadID), blocksSignal(threadID) { return .refused }
      guard let request = requests[threadID] ?? ask(threadID) else { return .refused }
      deafThreads.remove(threadID)
      requests[threadID] = request
      let end = started + configuration.patience
      switch stallwatch_find_request_state(request.number) {
      case stallwatch_request_answered:
        requests[threadID] = nil
        defer { stallwatch_release(request.number) }
        return answer(of: request).map(Answer.answered) ?? .notYet
      case stallwatch_request_open where Platform.now() < end:
        sleep(until: min(end, Platform.now() + configuration.lookAgain))
        return .notYet
      case stallwatch_request_open:
        // Asked only now: while its handler runs, every thread blocks the signal.
        guard blocksSignal(threadID) else { return .tooLate }
        withdraw(threadID: threadID)
        deafThreads.insert(threadID)
        return .refused
      default:
        requests[threadID] = nil
        return Platform.now() < end ? .notYet : .tooLate
      }
    }

    private func sleep(until moment: Nanoseconds) {
      var time = timespec(tv_sec: Int(moment / .second), tv_nsec: Int(moment % .second))
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
    }

    private func blocksSignal(_ threadID: UInt64) -> Bool {
      var blocksSignal = false
      _ = stallwatch_thread_letter(threadID, SIGPROF, &blocksSignal)
      return blocksSignal
    }

    func withdraw(threadID: UInt64) {
      deafThreads.remove(threadID)
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

    private func answer(of request: OpenRequest) -> CapturedStack? {
      var answer = stallwatch_answer()
      guard stallwatch_take_answer(request.number, &answer) else { return nil }
      var captured = CapturedStack(
        threadID: answer.thread_id, atNs: answer.taken_ns, activity: .running, method: .interrupted)
      captured.pause = answer.paused_ns
      captured.take(walker.walk(answer.registers, answer.stack))
      return captured
    }
  }
#endif
