#if os(Linux)
  import CStallwatch
  import StallwatchCore

  extension LinuxThreadSampler {
    func follow(threadID: UInt64) -> [CapturedStack]? {
      guard threadID != stallwatch_thread_id() else { return nil }
      beginFollowing(threadID)
      stallwatch_begin_reading()
      defer { stallwatch_end_reading() }
      if let again = repeatLook(at: threadID) {
        count(again)
        return [again]
      }
      // A signal that could end the program must be waited for.
      if let place = takenSignals[threadID], signals[place].signal != stallwatch_harmless_signal {
        return look(at: threadID, resolving: true).map {
          count($0)
          return [$0]
        }
      }
      var found: [CapturedStack] = []
      if let answered = takeAnswer(of: threadID) { found.append(answered) }
      guard lookOn(at: threadID, into: &found) else { return nil }
      found.forEach(count)
      return found
    }

    func letGo(threadID: UInt64) -> CapturedStack? {
      defer { withdraw(threadID: threadID) }
      let answered = takeAnswer(of: threadID)
      if let answered { count(answered) }
      return answered
    }

    /// Adds where a thread stands if it is blocked, or asks it if it runs. False when there is no such thread, or the
    /// system does not let the monitor look at it.
    private func lookOn(at threadID: UInt64, into found: inout [CapturedStack]) -> Bool {
      for _ in 0..<Self.attempts {
        let cpu = stallwatch_thread_cpu(threadID)
        // Only of a thread that runs this very moment do two readings differ.
        if cpu != 0, areClocksFine, stallwatch_thread_cpu(threadID) != cpu { break }
        let snapshot = snapshot(of: threadID)
        switch snapshot.state {
        case stallwatch_thread_blocked:
          guard let captured = read(snapshot, of: threadID, cpu: cpu, resolving: true) else { continue }
          withdrawRequest(to: threadID)
          found.append(captured)
          return true
        case stallwatch_thread_runnable: break
        case stallwatch_thread_gone:
          noteEnd(of: threadID)
          return false
        default:
          health.hidden += 1
          return false
        }
        break
      }
      if let unanswered = askOn(threadID) { found.append(unanswered) }
      return true
    }

    /// Asks a running thread, unless it was asked before and has not answered yet. Returns a look without a stack where
    /// it could not be asked, or has not answered for too long.
    private func askOn(_ threadID: UInt64) -> CapturedStack? {
      var captured = CapturedStack(threadID: threadID, atNs: Platform.now(), activity: .running, method: .notAtAll)
      guard let request = requests[threadID], !request.isTaken else {
        askAnew(threadID)
        guard requests[threadID] == nil else { return nil }
        health.refused += 1
        return captured
      }
      let cpu = stallwatch_thread_cpu(threadID)
      if cpu == request.seen.cpu {
        guard captured.atNs.since(request.seen.atNs) >= configuration.patience else { return nil }
        captured.activity = .starved
        health.unanswered += 1
        return captured
      }
      requests[threadID]?.seen = (captured.atNs, cpu)
      guard cpu.since(request.askedCPU) >= Self.longestSilence else { return nil }
      if !signals[request.signal].isTaken(by: blockedSignals(of: threadID)) {
        takenSignals[threadID] = nil
        withdrawRequest(to: threadID)
        health.refused += 1
      } else {
        health.unanswered += 1
      }
      return captured
    }

    /// How long a thread that takes signals may run before it answers: two of the longest ticks, 100 Hz.
    private static let longestSilence = 20 * Nanoseconds.millisecond

    /// Asks a thread that has no open request; by the one whose answer was taken, if there is one.
    private func askAnew(_ threadID: UInt64) {
      guard let request = requests.removeValue(forKey: threadID) else { return requests[threadID] = ask(threadID) }
      // The program may use the signal itself by now.
      guard signals[request.signal].isAllowed() else {
        stallwatch_release(request.number)
        return requests[threadID] = ask(threadID)
      }
      guard stallwatch_ask_again(request.number) == stallwatch_asked else { return }
      requests[threadID] = OpenRequest(number: request.number, signal: request.signal, threadID)
    }

    /// The answer that a thread has given to its request; nil where it has given none, or was not asked.
    private func takeAnswer(of threadID: UInt64) -> CapturedStack? {
      guard let request = requests[threadID], !request.isTaken,
        stallwatch_find_request_state(request.number) == stallwatch_request_answered
      else { return nil }
      requests[threadID]?.isTaken = true
      switch answer(of: request, since: 0) {
      case .answered(let captured), .partly(let captured): return captured
      default: return nil
      }
    }
  }
#endif
