-- title: The longest span of each loop
-- chart: lines
-- x: time
-- y: milliseconds
-- series: loop
-- unit: ms
-- scale: log
SELECT strftime('%Y-%m-%dT%H:%M:%SZ', (sessions.started_at + time_windows.started_ns - sessions.started_ns) / 1000000000,
    'unixepoch') AS time,
  max(longest_ns) / 1e6 AS milliseconds, loops.name AS loop
FROM time_windows
JOIN modes ON modes.id = time_windows.mode
JOIN loops ON loops.id = modes.loop
JOIN sessions ON sessions.id = time_windows.session
WHERE longest_ns > 0
GROUP BY loops.id, time_windows.started_ns
ORDER BY time LIMIT 10000
