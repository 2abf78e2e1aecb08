-- title: The worst stalls
-- chart: table
SELECT id, session, loop, mode, phase, severity, round(duration_ms, 1) AS milliseconds, round(at_s, 3) AS at_seconds, state
FROM stall_list WHERE state IN ('ended', 'fatal') ORDER BY duration_ms DESC LIMIT 20
