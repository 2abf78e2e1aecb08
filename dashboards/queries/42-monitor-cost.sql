-- title: What the monitor cost
-- chart: table
SELECT health.session, round(monitor_cpu_ns / 1e6, 2) AS monitor_cpu_ms, round(observer_total_ns / 1e6, 2) AS observers_ms,
  round(100.0 * monitor_cpu_ns / nullif(sessions.last_seen_ns - sessions.started_ns, 0), 3) AS percent_of_a_core, wakeups,
  drift_wakeups
FROM health JOIN sessions ON sessions.id = health.session ORDER BY health.session DESC LIMIT 50
