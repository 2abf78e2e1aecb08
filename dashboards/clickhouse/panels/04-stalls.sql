-- title: Stalls
-- chart: metric
-- y: total
SELECT sum(stalls) AS total
FROM activity FINAL
WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(hour)
