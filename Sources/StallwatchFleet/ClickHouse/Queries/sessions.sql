-- What sessions say of themselves: those that were watched in these hours.
SELECT
  count() AS session_count, countIf(ended = 'killed') AS killed, sum(duration_ns) AS duration,
  sum(unobserved_ns) AS unobserved, sum(excluded_ns) AS excluded
FROM sessions FINAL
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND at < toDateTime({until:UInt32}, 'UTC') AND intDiv(started_ns + duration_ns, 1000000000) >= {since:UInt32}
