-- title: The longest span of each loop
-- chart: lines
-- x: time
-- y: milliseconds
-- series: loop
-- unit: ms
-- scale: log
SELECT strftime('%Y-%m-%dT%H:%M:%SZ', (sessions.started_at + profile_windows.started_ns - sessions.started_ns) / 1000000000,
    'unixepoch') AS time,
  max(max_ns) / 1e6 AS milliseconds, loops.name AS loop
FROM profile_windows
JOIN modes ON modes.id = profile_windows.mode
JOIN loops ON loops.id = modes.loop
JOIN sessions ON sessions.id = loops.session
WHERE metric = 'span' AND max_ns > 0
GROUP BY loops.id, profile_windows.started_ns
ORDER BY time LIMIT 10000
