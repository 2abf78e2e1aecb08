-- title: Every stall, when and how long
-- chart: points
-- x: time
-- y: milliseconds
-- series: severity
-- unit: ms
-- scale: log
SELECT strftime('%Y-%m-%dT%H:%M:%SZ', (sessions.started_at + stalls.started_ns - sessions.started_ns) / 1000000000, 'unixepoch')
    AS time,
  stalls.duration_ns / 1e6 AS milliseconds, coalesce(stalls.severity, 'going on') AS severity
FROM stalls JOIN sessions ON sessions.id = stalls.session
WHERE stalls.state IN ('ended', 'fatal') AND stalls.kind = 'stall'
ORDER BY time LIMIT 10000
