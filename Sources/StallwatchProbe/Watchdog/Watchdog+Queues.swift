import StallwatchCore

/// Dispatch's queues: what waited in them for the threshold or longer, and what was served meanwhile.
extension Watchdog {
  /// Looks at all queues.
  func lookAtQueues(now: Nanoseconds) {
    for index in queues.adopt() { announce(queues.lanes[index]) }
    queues.look(at: now)
    for index in queues.lanes.indices {
      let late = queues.takeLate(index)
      take(late, at: index, now: now)
      lookForDelay(at: index, now: now)
      sample(at: index, now: now)
    }
  }

  private func announce(_ lane: QueueLane) {
    outbox.hand(
      .loop(
        LoopRecord(
          id: lane.id, name: lane.name, threadID: 0, isMain: false, kind: lane.kind,
          startedNs: lane.startedNs)))
    outbox.hand(.mode(ModeRecord(loop: lane.id, index: 0, name: "items", attachedNs: lane.startedNs)))
  }

  /// Takes items that have begun after they had waited for the threshold or longer.
  private func take(_ late: [LaneRegion.LateItem], at index: Int, now: Nanoseconds) {
    guard !late.isEmpty else { return }
    for item in late {
      if let delay = queues.lanes[index].delay {
        let last = max(delay.lastBegunNs ?? 0, item.begunNs)
        queues.change(index) { $0.delay?.lastBegunNs = last }
        continue
      }
      // Over before a look found it. In a suspended queue, nothing was served before it.
      let start = max(item.waitingNs, item.servingNs, queues.lanes[index].reportedUntilNs)
      guard isLong(from: start, to: item.begunNs) else { continue }
      begin(at: index, from: start, now: max(now, item.begunNs))
      queues.change(index) { $0.delay?.lastBegunNs = item.begunNs }
    }
  }

  /// Finds that an item has waited for the threshold, or that none does any more.
  private func lookForDelay(at index: Int, now: Nanoseconds) {
    let lane = queues.lanes[index]
    let start = lane.waitingSinceNs
    let isLate = lane.headNs.map { isLong(from: $0, to: now) } ?? false
    if let delay = lane.delay {
      if isLate {
        queues.change(index) {
          $0.delay?.seemsOver = false
          $0.delay?.mostServed = max(delay.mostServed, lane.servedByPools)
        }
      } else if delay.seemsOver || delay.lastBegunNs != nil {
        end(at: index, now: now)
      } else {
        queues.change(index) { $0.delay?.seemsOver = true }
      }
    } else if let start, isLong(from: start, to: now) {
      begin(at: index, from: start, now: now, waiter: lane.head)
      queues.change(index) { $0.delay?.mostServed = lane.servedByPools }
    } else if start == nil {
      sampling?.letGo(of: lane.id)
    }
  }

  private func isLong(from start: Nanoseconds, to end: Nanoseconds) -> Bool {
    end.since(start).since(witness.exclusions.overlap(from: start, to: max(start, end))) >= configuration.threshold
  }

  /// Begins a delay. `waiter`: the item that waits; nil where that is over.
  private func begin(at index: Int, from start: Nanoseconds, now: Nanoseconds, waiter: QueueItem? = nil) {
    let code = waiter.flatMap { item in
      WaitingCode.address(of: item) {
        sampling?.reportImage(of: $0, outbox.hand)
      } stack: {
        sampling?.sampler.capture(threadID: $0)?.frames ?? []
      }
    }
    let began = StallBegan(
      id: outbox.numberStall(), loop: queues.lanes[index].id, mode: 0, phase: .waiting, depth: 1, kind: .stall,
      startedNs: start, detectedNs: now, annotations: outbox.annotationsNow(), waiter: code)
    queues.change(index) { $0.delay = QueueLane.Delay(began: began) }
    sampling?.begin(began)
    outbox.hand(.stallBegan(began))
  }

  /// Ends a lane's delay: with the begin of the last late item, or where that was not seen, with the end of the last item
  /// that was served. One that `mayGoOn` is kept, so that it does not begin again.
  private func end(at index: Int, now: Nanoseconds, reason: String? = nil, mayGoOn: Bool = false) {
    guard let delay = queues.lanes[index].delay else { return }
    let start = delay.began.startedNs
    let lastEnded = queues.lanes[index].region.lastEndedNs
    let end = max(delay.lastBegunNs ?? (reason == nil && lastEnded > start ? min(lastEnded, now) : now), start)
    let duration = end.since(start).since(witness.exclusions.overlap(from: start, to: end))
    let isStall = duration >= configuration.threshold
    let freeThreads = queues.hadFreeThreads(delay, of: queues.lanes[index]) ? StallEnded.freeThreads : nil
    let ended = StallEnded(
      id: delay.began.id, state: isStall ? .ended : .cancelled, duration: duration, phase: .waiting,
      reason: isStall ? reason ?? freeThreads : "the process was suspended")
    if !mayGoOn {
      queues.change(index) {
        $0.delay = nil
        $0.reportedUntilNs = end
      }
    }
    sampling?.end(of: queues.lanes[index].id, ended, outbox.hand)
    outbox.hand(.stallEnded(ended))
  }

  /// Samples a thread that serves what an item waits for: each in its turn, where they are several. Those that no look at
  /// this delay has met come with it, for a short delay has no turn for each of many, and all that hold a pool are to be
  /// named.
  private func sample(at index: Int, now: Nanoseconds) {
    let lane = queues.lanes[index]
    guard let sampling, !lane.ahead.isEmpty, let start = lane.delay?.began.startedNs ?? lane.waitingSinceNs,
      now >= sampling.soonestLook(at: lane.id, heldFrom: start)
    else { return }
    let turn = lane.lookedAt % lane.ahead.count
    queues.change(index) { $0.lookedAt = turn + 1 }
    let thread = lane.ahead[turn]
    // Nobody knows which thread serves an actor that is pinged.
    guard thread.id != 0 else { return }
    func held(_ thread: ServingThread) -> HeldThread {
      HeldThread(
        loop: lane.id, threadID: thread.id, threadPointer: thread.pointer, startedNs: start,
        stall: lane.delay?.began, goesOn: thread.goesOn)
    }
    let unmet = lane.ahead.lazy.filter {
      $0.id != 0 && $0.id != thread.id && !sampling.hasLooked(at: $0.id, holding: lane.id, from: start)
    }
    sample(held(thread), beside: unmet.prefix(Self.mostBeside).map(held))
  }

  /// How many threads are looked at beside the one whose turn it is, so that a pass stays short. A pool is as wide as the
  /// machine has processors; on machines with more, the rest comes with the next looks.
  private static let mostBeside = 15

  /// Hands on the growth of the lanes' figures.
  func flushQueues(at now: Nanoseconds) {
    for delta in queues.growth(at: now) { outbox.hand(.profile(delta)) }
  }

  /// Hands on everything that is left. Delays that go on end; unless `isLast`, the process may yet live on, and they with it.
  func reportQueues(at now: Nanoseconds, isLast: Bool) {
    lookAtQueues(now: now)
    for index in queues.lanes.indices { end(at: index, now: now, reason: "watching stopped", mayGoOn: !isLast) }
    flushQueues(at: now)
    outbox.report(queues.takeLosses())
    guard isLast else { return }
    for lane in queues.lanes {
      outbox.hand(.loopProgress(LoopProgress(loop: lane.id, outside: 0, activities: 0, endedNs: now)))
    }
  }
}
