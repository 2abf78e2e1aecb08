import StallwatchCore

/// Writes figures into the store's tables, for the session's own writer and for whoever takes over a dead one's live
/// region. A parameter's number is its place in the statement's list of columns.
struct FigureStatements {
  private let putLoop: Statement
  private let putTimeWindow: Statement
  private let putMetricWindow: PutWindow<MetricWindow>
  private let putTimer: Statement
  private let putDrops: Statement
  private let addLostFires: Statement
  private let putTickWindow: PutWindow<TickWindow>
  private let putTimerWindow: PutWindow<TimerWindow>
  private let timerGrowth: TimerGrowth
  private let putTick: Statement
  private let putHealth: Statement

  init(_ connection: Connection) throws(SQLiteFailure) {
    putLoop = try connection.prepare(
      "UPDATE loops SET outside_ns = max(outside_ns, ?2), activities = max(activities, ?3) WHERE id = ?1")
    putTimeWindow = try connection.prepare(
      """
      INSERT INTO time_windows (session, started_ns, mode, number, length_ns, entries, iterations, starved_ns, busy_ns,
        waiting_ns, outside_ns, longest_ns, cell_ns, cells)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      """)
    putMetricWindow = try PutWindow(connection)
    putTimer = try connection.prepare(
      """
      UPDATE timers SET fired = max(fired, ?2), dropped = max(dropped, ?3), dropped_outside = max(dropped_outside, ?4),
        coalesced = max(coalesced, ?5), rearmed = max(rearmed, ?6), interval_changes = max(interval_changes, ?7),
        callout_total_ns = max(callout_total_ns, ?8), callout_max_ns = max(callout_max_ns, ?9),
        lateness_count = ?10, lateness_total_ns = ?11, lateness_max_ns = ?12, lateness_histogram = ?13,
        worst_at_ns = coalesce(?14, worst_at_ns), ended_ns = coalesce(?15, ended_ns)
      WHERE id = ?1
      """)
    putDrops = try connection.prepare(
      """
      INSERT INTO timer_drops (timer, mode, count) VALUES (?1, ?2, ?3)
      ON CONFLICT (timer, mode) DO UPDATE SET count = max(count, excluded.count)
      """)
    addLostFires = try connection.prepare(
      """
      INSERT INTO losses (session, what, count) VALUES (?1, 'fires', ?2)
      ON CONFLICT (session, what, ifnull(loop, 0)) DO UPDATE SET count = count + excluded.count
      """)
    putTickWindow = try PutWindow(connection)
    putTimerWindow = try PutWindow(connection)
    timerGrowth = try TimerGrowth(connection)
    putTick = try connection.prepare(
      """
      INSERT OR REPLACE INTO ticks (session, number, loop, due_ns, run_loop_lateness_ns, gcd_lateness_ns,
        in_other_modes_ns, machine_ns)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    putHealth = try connection.prepare(
      """
      INSERT INTO health (session, at_ns, observer_total_ns, monitor_cpu_ns, wakeups, lateness_count, lateness_total_ns,
        lateness_max_ns, lateness_histogram, signal_obstacle, drift_wakeups)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      ON CONFLICT (session) DO UPDATE SET at_ns = excluded.at_ns, observer_total_ns = excluded.observer_total_ns,
        monitor_cpu_ns = excluded.monitor_cpu_ns, wakeups = excluded.wakeups, lateness_count = excluded.lateness_count,
        lateness_total_ns = excluded.lateness_total_ns, lateness_max_ns = excluded.lateness_max_ns,
        lateness_histogram = excluded.lateness_histogram, signal_obstacle = excluded.signal_obstacle,
        drift_wakeups = excluded.drift_wakeups
      """)
  }

  /// Writes all of `figures` into a session's rows; `number` counts the windows on.
  func put(_ figures: LiveFigures, session: Int64, metricLength: Nanoseconds) throws(SQLiteFailure) -> Int64 {
    var number = figures.windowsWritten
    for loop in figures.loops { try put(loop) }
    try put(figures.modes, session: session, number: &number)
    let time = TimerGrowth.Time(from: figures.timersFromNs, until: figures.lastSeenNs, windowLength: metricLength)
    for timer in figures.timers.sorted(by: { $0.row < $1.row }) {
      try put(timer, session: session, in: time, number: &number)
    }
    for ticks in figures.ticks.sorted(by: { $0.loop < $1.loop }) {
      try put(ticks, session: session, number: &number)
    }
    if let health = figures.health { try put(health, session: session) }
    return number
  }

  private func put(_ loop: LiveFigures.Loop) throws(SQLiteFailure) {
    putLoop.bind(loop.row, at: 1)
    putLoop.bind(loop.outside, at: 2)
    putLoop.bind(loop.activities, at: 3)
    try putLoop.run()
  }

  /// Writes the windows of modes; `number` counts them. In the order of their keys, so that pages become full.
  func put(_ modes: [LiveFigures.Mode], session: Int64, number: inout Int64) throws(SQLiteFailure) {
    let windows = modes.flatMap { mode in mode.windows.map { (mode: mode.row, window: $0) } }
    for (mode, window) in windows.sorted(by: { ($0.window.startedNs, $0.mode) < ($1.window.startedNs, $1.mode) }) {
      number += 1
      try put(window, mode: mode, session: session, number: number)
    }
    let metrics = modes.flatMap { mode in mode.metrics.map { (mode: mode.row, window: $0) } }
    for (mode, window) in metrics.sorted(by: { ($0.window.startedNs, $0.mode) < ($1.window.startedNs, $1.mode) }) {
      for metric in Self.metrics {
        guard let samples = window.metrics[Int(metric.rawValue)] else { continue }
        number += 1
        try putMetricWindow.put(MetricWindow(window, metric, samples), of: mode, session: session, number: number)
      }
    }
  }

  /// In the order of the names that the store has for them.
  private static let metrics = Metric.allCases.sorted { $0.name < $1.name }

  /// Writes a window of time under its number.
  func put(_ window: TimeWindow, mode: Int64, session: Int64, number: Int64) throws(SQLiteFailure) {
    let put = putTimeWindow
    put.bind(session, at: 1)
    put.bind(window.startedNs, at: 2)
    put.bind(mode, at: 3)
    put.bind(number, at: 4)
    put.bind(window.length, at: 5)
    put.bind(window.entries, at: 6)
    put.bind(window.iterations, at: 7)
    put.bind(window.starved, at: 8)
    put.bind(window.busy, at: 9)
    put.bind(window.waiting, at: 10)
    put.bind(window.outside, at: 11)
    put.bind(window.longest, at: 12)
    let hasCells = !window.cells.isEmpty
    put.bind(hasCells ? window.cellLength : nil, at: 13)
    put.bind(hasCells ? CellEncoding.encode(window.cells, withOutside: window.outside > 0) : nil, at: 14)
    try put.run()
  }

  /// Writes a timer's ledger, and before it how that grew in `time`, as a window that `number` counts.
  func put(
    _ timer: LiveFigures.Timer, session: Int64, in time: TimerGrowth.Time, number: inout Int64
  ) throws(SQLiteFailure) {
    // Nil where the store does not keep the timer.
    guard let growth = try timerGrowth.of(timer, in: time) else { return }
    if let window = growth.window {
      number += 1
      try putTimerWindow.put(window, of: timer.row, session: session, number: number)
    }
    if growth.lost > 0 {
      addLostFires.bind(session, at: 1)
      addLostFires.bind(growth.lost, at: 2)
      try addLostFires.run()
    }
    let (put, figures, lateness) = (putTimer, timer.figures, growth.lateness)
    put.bind(timer.row, at: 1)
    put.bind(figures.fired, at: 2)
    put.bind(figures.dropped, at: 3)
    put.bind(figures.droppedOutside, at: 4)
    put.bind(figures.coalesced, at: 5)
    put.bind(figures.rearmed, at: 6)
    put.bind(figures.intervalChanges, at: 7)
    put.bind(figures.calloutTotal, at: 8)
    put.bind(figures.calloutMaximum, at: 9)
    put.bind(lateness.count, at: 10)
    put.bind(lateness.total, at: 11)
    put.bind(lateness.maximum, at: 12)
    put.bind(lateness.count > 0 ? HistogramEncoding.encode(lateness.histogram) : nil, at: 13)
    put.bind(figures.worstAtNs, at: 14)
    put.bind(figures.endedNs, at: 15)
    try put.run()
    for (mode, count) in timer.drops {
      putDrops.bind(timer.row, at: 1)
      putDrops.bind(mode, at: 2)
      putDrops.bind(count, at: 3)
      try putDrops.run()
    }
  }

  /// Writes the windows of a loop's ticks, and the ticks that they keep; `number` counts the windows.
  func put(_ ticks: LiveFigures.Ticks, session: Int64, number: inout Int64) throws(SQLiteFailure) {
    for window in ticks.windows {
      number += 1
      try putTickWindow.put(window, of: ticks.loop, session: session, number: number)
      for tick in window.kept { try put(tick, loop: ticks.loop, session: session) }
    }
  }

  private func put(_ tick: TickWindow.Kept, loop: Int64, session: Int64) throws(SQLiteFailure) {
    putTick.bind(session, at: 1)
    putTick.bind(tick.tick.number, at: 2)
    putTick.bind(loop, at: 3)
    putTick.bind(tick.tick.dueNs, at: 4)
    putTick.bind(tick.tick.runLoopLateness, at: 5)
    putTick.bind(tick.tick.gcdLateness, at: 6)
    putTick.bind(tick.tick.inOtherModes, at: 7)
    putTick.bind(tick.machine, at: 8)
    try putTick.run()
  }

  private func put(_ health: LiveFigures.Health, session: Int64) throws(SQLiteFailure) {
    let put = putHealth
    let isKnown = health.lateness.count > 0
    put.bind(session, at: 1)
    put.bind(health.atNs, at: 2)
    put.bind(health.observerTotal, at: 3)
    put.bind(health.monitorCPU, at: 4)
    put.bind(health.wakeups, at: 5)
    put.bind(isKnown ? health.lateness.count : nil, at: 6)
    put.bind(isKnown ? health.lateness.total : nil, at: 7)
    put.bind(isKnown ? health.lateness.maximum : nil, at: 8)
    put.bind(isKnown ? HistogramEncoding.encode(health.lateness.buckets) : nil, at: 9)
    put.bind(health.signalObstacle, at: 10)
    put.bind(health.driftWakeups, at: 11)
    try put.run()
  }
}
