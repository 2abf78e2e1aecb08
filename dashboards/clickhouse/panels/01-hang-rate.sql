-- title: Seconds of hangs per hour of use
-- chart: metric
-- y: rate
-- unit: s
SELECT sum(hang_ns) / sum(watched_ns) * 3600 AS rate
FROM activity FINAL
WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(hour) AND is_main
