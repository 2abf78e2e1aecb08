-- title: Utilization of each loop
-- chart: lines
-- x: time
-- y: utilization
-- series: loop
-- unit: percentunit
SELECT strftime('%Y-%m-%dT%H:%M:%SZ', (sessions.started_at + time_windows.started_ns - sessions.started_ns) / 1000000000,
    'unixepoch') AS time,
  sum(busy_ns) * 1.0 / nullif(sum(busy_ns) + sum(waiting_ns), 0) AS utilization, loops.name AS loop
FROM time_windows
JOIN modes ON modes.id = time_windows.mode
JOIN loops ON loops.id = modes.loop
JOIN sessions ON sessions.id = time_windows.session
GROUP BY loops.id, time_windows.started_ns
ORDER BY time LIMIT 10000
