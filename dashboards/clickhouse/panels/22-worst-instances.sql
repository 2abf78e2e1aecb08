-- title: Instances that hang most
-- chart: table
SELECT instance, release, sum(watched_ns) / 3600e9 AS hours, sum(hang_ns) / sum(watched_ns) * 3600 AS hang_seconds_per_hour,
  sum(hangs) AS hang_count, max(worst_ns) / 1e6 AS worst_ms
FROM activity FINAL
WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(hour) AND is_main
GROUP BY instance, release
HAVING hours >= 0.5
ORDER BY hang_seconds_per_hour DESC, instance, release
LIMIT 20
