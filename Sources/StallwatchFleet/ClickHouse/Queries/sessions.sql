-- What sessions of a unit say of themselves: those that were watched in these hours.
SELECT
  release, environment, instance,
  count() AS session_count, countIf(ended = 'killed') AS killed, sum(duration_ns) AS duration,
  max(threshold_ns) AS threshold, sum(unobserved_ns) AS unobserved, sum(excluded_ns) AS excluded,
  sum(monitor_cpu_ns) AS monitor_cpu, sum(observer_ns) AS observer, sum(wakeups) AS wakeup_count
FROM sessions FINAL
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND at < toDateTime({until:UInt32}, 'UTC') AND intDiv(started_ns + duration_ns, 1000000000) >= {since:UInt32}
GROUP BY release, environment, instance
