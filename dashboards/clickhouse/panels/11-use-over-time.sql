-- title: Hours of use, by release
-- chart: lines
-- x: time
-- y: hours
-- series: release
-- unit: h
SELECT hour AS time, release, sum(watched_ns) / 3600e9 AS hours
FROM activity FINAL
WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(hour) AND is_main
GROUP BY hour, release
ORDER BY hour, release
