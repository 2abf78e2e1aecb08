-- The threshold of each unit, by its sessions that were watched in these hours.
SELECT release, environment, instance, max(threshold_ns) AS threshold
FROM sessions FINAL
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND at < toDateTime({until:UInt32}, 'UTC') AND intDiv(started_ns + duration_ns, 1000000000) >= {since:UInt32}
GROUP BY release, environment, instance
