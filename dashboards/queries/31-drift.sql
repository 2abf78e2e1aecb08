-- title: The worst lateness of a minute, run loop and GCD timer
-- chart: lines
-- x: time
-- y: milliseconds
-- series: timer
-- unit: ms
-- scale: log
SELECT strftime('%Y-%m-%dT%H:%M:%SZ', sessions.started_at / 1000000000 + minute * 60, 'unixepoch') AS time,
  max(worst_run_loop_ms) AS milliseconds, 'run loop' AS timer
FROM drift_by_minute JOIN sessions ON sessions.id = drift_by_minute.session
WHERE worst_run_loop_ms > 0 GROUP BY time
UNION ALL
SELECT strftime('%Y-%m-%dT%H:%M:%SZ', sessions.started_at / 1000000000 + minute * 60, 'unixepoch'), max(worst_gcd_ms), 'GCD'
FROM drift_by_minute JOIN sessions ON sessions.id = drift_by_minute.session
WHERE worst_gcd_ms > 0 GROUP BY 1
ORDER BY 1
