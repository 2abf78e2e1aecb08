#if os(Linux)
  import CStallwatch
  import StallwatchCore

  extension LinuxThreadSampler {
    func follow(threadID: UInt64) -> FollowingLook? {
      let thread: FollowedThread
      if let known = followed(threadID) {
        thread = known
        if known.movedCPU == nil { known.beginLook() }
      } else {
        guard threadID != stallwatch_thread_id() else { return nil }
        thread = beginFollowing(threadID)
      }
      defer { thread.endLook() }
      stallwatch_begin_reading()
      defer { stallwatch_end_reading() }
      if let (again, reading) = repeatLook(at: thread) {
        count(again)
        return FollowingLook(standing: again, reading: reading)
      }
      // A signal that could end the program must be waited for.
      if let place = takenSignals[threadID], signals[place].signal != stallwatch_harmless_signal {
        return look(at: threadID, resolving: true).map {
          count($0)
          return FollowingLook(standing: $0)
        }
      }
      let request = requests.isEmpty ? nil : requests[threadID]
      var found = FollowingLook(answered: takeAnswer(to: request))
      guard lookOn(at: thread, request, into: &found) else { return nil }
      if let answered = found.answered { count(answered) }
      if let standing = found.standing { count(standing) }
      return found
    }

    func letGo(threadID: UInt64) -> CapturedStack? {
      defer { withdraw(threadID: threadID) }
      let answered = takeAnswer(to: requests[threadID])
      if let answered { count(answered) }
      return answered
    }

    /// Adds where a thread stands if it is blocked, or asks it if it runs. False when there is no such thread, or the
    /// system does not let the monitor look at it.
    private func lookOn(at thread: FollowedThread, _ request: OpenRequest?, into found: inout FollowingLook) -> Bool {
      let threadID = thread.threadID
      // One that was blocked at the last look is likely to be so now, though it has moved.
      var mayRun = !thread.wasBlocked
      var running: ThreadReading?
      for attempt in 0..<Self.attempts {
        var cpu = attempt == 0 ? thread.movedCPU ?? 0 : 0
        if cpu == 0 {
          var now = ThreadReading(of: threadID)
          if areClocksFine, let request, now.hasRunOn(since: request.seen) {
            now.activity = .running
            running = now
            break
          }
          cpu = now.cpu
        }
        // Only of a thread that runs this very moment do two readings differ.
        if mayRun, cpu != 0, areClocksFine {
          var again = ThreadReading(of: threadID)
          if again.cpu != cpu { again.activity = .running }
          running = again
          if again.cpu != cpu { break }
        }
        mayRun = true
        let snapshot = thread.snapshot()
        switch snapshot.state {
        case stallwatch_thread_blocked:
          guard let captured = read(snapshot, of: threadID, cpu: cpu, resolving: true) else { continue }
          withdrawRequest(to: threadID)
          found.standing = captured
          if areClocksFine { found.reading = ThreadReading(atNs: Platform.now(), cpu: cpu, .blocked) }
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
      thread.wasBlocked = false
      let reading = running ?? ThreadReading(of: threadID)
      found.standing = askOn(threadID, request?.isWithdrawn == true ? nil : request, reading)
      found.reading = reading
      return true
    }

    /// Asks a running thread, unless it was asked before and has not answered yet. Returns a look without a stack where
    /// it could not be asked, or has not answered for too long.
    private func askOn(_ threadID: UInt64, _ request: OpenRequest?, _ reading: ThreadReading) -> CapturedStack? {
      if request == nil || request?.isTaken == true, askAnew(threadID, request, reading) { return nil }
      var captured = CapturedStack(threadID: threadID, atNs: reading.atNs, activity: .running, method: .notAtAll)
      guard let request, !request.isTaken else {
        health.refused += 1
        return captured
      }
      if reading.cpu == request.seen.cpu {
        guard captured.atNs.since(request.seen.atNs) >= configuration.patience else { return nil }
        captured.activity = .starved
        health.unanswered += 1
        return captured
      }
      request.seen = reading
      guard reading.cpu.since(request.asked.cpu) >= Self.longestSilence else { return nil }
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

    /// Asks a thread that has no open request; by the one whose answer was taken, if there is one. Returns whether it could
    /// be asked.
    private func askAnew(_ threadID: UInt64, _ taken: OpenRequest?, _ reading: ThreadReading) -> Bool {
      // The program may use the signal itself by now.
      if let taken, signals[taken.signal].isAllowed() {
        if stallwatch_ask_again(taken.number) == stallwatch_asked {
          taken.begin(reading)
          return true
        }
        requests[threadID] = nil
        return false
      }
      withdrawRequest(to: threadID)
      requests[threadID] = ask(threadID)
      return requests[threadID] != nil
    }

    /// The answer that a thread has given to its request; nil where it has given none, or was not asked.
    private func takeAnswer(to request: OpenRequest?) -> CapturedStack? {
      guard let request, !request.isTaken,
        stallwatch_find_request_state(request.number) == stallwatch_request_answered
      else { return nil }
      request.isTaken = true
      switch answer(of: request, since: 0) {
      case .answered(let captured), .partly(let captured): return captured
      default: return nil
      }
    }
  }
#endif
