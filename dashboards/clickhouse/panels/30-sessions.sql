-- title: Sessions, and what is not in the figures
-- chart: table
SELECT release, count() AS session_count, countIf(ended = 'killed') AS killed, sum(duration_ns) / 3600e9 AS hours,
  sum(unobserved_ns) / 1e9 AS unobserved_seconds, sum(excluded_ns) / 1e9 AS excluded_seconds,
  sum(arraySum(loss.count)) AS lost_records, sum(monitor_cpu_ns) / sum(duration_ns) * 100 AS monitor_cpu_percent
FROM sessions FINAL
WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(at)
GROUP BY release
ORDER BY release
