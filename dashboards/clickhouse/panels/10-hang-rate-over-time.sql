-- title: Seconds of hangs per hour of use, by release
-- chart: lines
-- x: time
-- y: rate
-- series: release
-- unit: s
SELECT hour AS time, release, sum(hang_ns) / sum(watched_ns) * 3600 AS rate
FROM activity FINAL
WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(hour) AND is_main
GROUP BY hour, release
HAVING sum(watched_ns) > 0
ORDER BY hour, release
