-- title: Timers, most dropped first
-- chart: table
SELECT session, loop, coalesce(name, kind || ' ' || id) AS timer, interval_ms, due, fired, dropped,
  round(mean_lateness_ms, 3) AS mean_lateness_ms, round(worst_ms, 1) AS worst_ms, stalls
FROM timer_list LIMIT 50
