-- title: Instances, and how many of them hung
-- chart: metric
-- y: instances
SELECT uniqExact(instance) AS instances, uniqExactIf(instance, hangs > 0) AS hung
FROM activity FINAL
WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(hour) AND is_main
