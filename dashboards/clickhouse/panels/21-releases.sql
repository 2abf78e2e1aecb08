-- title: Releases
-- chart: table
SELECT release, uniqExact(instance) AS instances, sum(watched_ns) / 3600e9 AS hours,
  sum(hang_ns) / sum(watched_ns) * 3600 AS hang_seconds_per_hour, sum(hangs) / (sum(watched_ns) / 3600e9) AS hangs_per_hour,
  max(worst_ns) / 1e6 AS worst_ms, min(hour) AS since
FROM activity FINAL
WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(hour) AND is_main
GROUP BY release
HAVING sum(watched_ns) > 0
ORDER BY since DESC, release
