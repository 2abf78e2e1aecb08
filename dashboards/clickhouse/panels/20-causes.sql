-- title: Causes, by the instances that they hit
-- chart: table
SELECT any(title) AS cause, signature, uniqExact(instance) AS instances, uniqExact(instance, hour) AS instance_hours,
  sum(count) AS stalls, sum(total) / 1e9 AS seconds, max(worst) / 1e6 AS worst_ms,
  toDateTime(intDiv(min(first), 1000000000)) AS first_seen, toDateTime(intDiv(max(last), 1000000000)) AS last_seen,
  arrayStringConcat(arraySort(groupUniqArray(release)), ', ') AS releases
FROM (
  SELECT instance, hour, release, cause.signature AS signature, cause.stalls AS count, cause.total_ns AS total,
    cause.worst_ns AS worst, cause.first_ns AS first, cause.last_ns AS last
  FROM activity FINAL
  ARRAY JOIN cause
  WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(hour)
) AS hits
GLOBAL ANY LEFT JOIN (
  SELECT signature, title FROM signatures FINAL WHERE service IN (${service:sqlstring})
) AS names USING signature
GROUP BY signature
ORDER BY instances DESC, instance_hours DESC
LIMIT 50
