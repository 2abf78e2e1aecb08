-- title: Hours of use
-- chart: metric
-- y: hours
-- unit: h
SELECT sum(watched_ns) / 3600e9 AS hours
FROM activity FINAL
WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(hour) AND is_main
