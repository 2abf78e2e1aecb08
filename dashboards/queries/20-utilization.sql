-- title: Utilization of each loop
-- chart: lines
-- x: time
-- y: utilization
-- series: loop
-- unit: percentunit
SELECT strftime('%Y-%m-%dT%H:%M:%SZ', (sessions.started_at + profile_windows.started_ns - sessions.started_ns) / 1000000000,
    'unixepoch') AS time,
  sum(CASE WHEN metric IN ('prepare', 'sources', 'service') THEN total_ns * 1.0 ELSE 0 END)
    / nullif(sum(CASE WHEN metric IN ('prepare', 'sources', 'service', 'waiting') THEN total_ns * 1.0 ELSE 0 END), 0)
    AS utilization,
  loops.name AS loop
FROM profile_windows
JOIN modes ON modes.id = profile_windows.mode
JOIN loops ON loops.id = modes.loop
JOIN sessions ON sessions.id = loops.session
GROUP BY loops.id, profile_windows.started_ns
ORDER BY time LIMIT 10000
