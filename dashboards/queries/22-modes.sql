-- title: Loops and modes
-- chart: table
SELECT session, loop, mode, count AS spans, round(total_ms, 1) AS busy_ms, round(mean_ms, 4) AS mean_ms, round(max_ms, 1) AS max_ms
FROM mode_profile WHERE metric = 'span' ORDER BY max_ms DESC LIMIT 50
