import StallwatchCore
import StallwatchReport

/// Dispatch's queues, the actors and the pools: how long their items waited, and how long they were served.
enum QueuesSection {
  /// The `limit` lanes whose items waited longest for others; nil where no queue served anything.
  static func section(_ report: Report, limit: Int) -> ReportSection? {
    let thresholds = Dictionary(
      report.sessions.map { ($0.id, $0.record.threshold) }, uniquingKeysWith: { first, _ in first })
    func wait(_ lane: LoopReport) -> Nanoseconds { lane.longestWait(threshold: thresholds[lane.session] ?? .max) }
    let lanes = LoopReport.worstFirst(report.loops.filter(\.kind.isOfItems)).sorted {
      ($0.stalls.total, wait($0)) > ($1.stalls.total, wait($1))
    }
    guard !lanes.isEmpty else { return nil }
    var table = Table(
      columns: [
        .longName("queue"), .word("kind"), .figure("items").leaving(4), .figure("busy").leaving(6),
        .figure("wait p50").of("wait").leaving(3), .figure("p99").of("wait").leaving(5), .figure("max").of("wait"),
        .figure("service p50").of("service").leaving(1), .figure("p99").of("service").leaving(2),
        .figure("max").of("service").leaving(7), .figure("stalls"),
      ])
    for lane in lanes.prefix(limit) {
      let (wait, service) = (lane.delay, lane.span)
      var cells = [
        Table.Cell(report.label(of: lane), tone: .heading), Table.Cell(lane.kind.rawValue),
        Table.Cell(Figure.count(lane.iterations)), Table.Cell(Figure.share(lane.time.utilization)),
      ]
      for summary in [wait, service] {
        cells += [summary[.p50], summary[.p99], summary.maximum].map { Table.Cell(Figure.duration($0)) }
      }
      cells.append(Table.Cell(Figure.count(lane.stalls.count), tone: lane.stalls.count > 0 ? .alarm : .plain))
      table.rows.append(cells)
    }
    if lanes.count > limit {
      table.rows.append(
        [Table.Cell("and \(lanes.count - limit) more", tone: .faint)]
          + Array(repeating: "", count: table.columns.count - 1))
    }
    let pinged =
      lanes.contains { $0.kind == .pinged }
      ? " Of a pinged lane the items are the monitor's pings, and its busy is for how long they waited." : ""
    let suspended =
      lanes.contains { ($0.delay.maximum ?? 0) > wait($0) }
      ? " Without a stall, a wait of the threshold or longer is one in which nothing was served, as where a queue is "
        + "suspended." : ""
    return ReportSection(
      title: "Queues, actors and pools", table: table,
      notes: [
        "An item waits from being enqueued to its begin, and is served from then to its end; an actor's items are calls. A "
          + "stall is a wait of the threshold or longer while other items were served. A pool serves several items at once: "
          + "its busy is the share of the processors' number." + suspended + pinged
      ])
  }
}
