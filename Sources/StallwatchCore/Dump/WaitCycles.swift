extension ProcessDump {
  /// The threads that wait for each other in a circle, so that none of them will ever go on: each group in the order of
  /// waiting, beginning with the thread that comes first in the dump. Only threads that have not run meanwhile count,
  /// because threads are read one after the other.
  package var deadlocks: [[DumpedThread]] {
    let byID = Dictionary(threads.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var seen: Set<UInt64> = []
    var cycles: [[DumpedThread]] = []
    for start in threads where !seen.contains(start.id) {
      var path: [DumpedThread] = []
      var place: [UInt64: Int] = [:]
      var next: DumpedThread? = start
      while let thread = next, thread.isStill, thread.waitsFor != nil, seen.insert(thread.id).inserted {
        place[thread.id] = path.count
        path.append(thread)
        next = thread.waitsFor.flatMap { byID[$0.thread] }
      }
      if let closing = next.flatMap({ place[$0.id] }) { cycles.append(Array(path[closing...])) }
    }
    return cycles
  }
}
