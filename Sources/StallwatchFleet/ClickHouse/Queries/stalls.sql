-- Every stall with a cause.
SELECT release, environment, instance, session, number, lane_name AS lane, signature, started_ns, duration_ns
FROM stalls FINAL
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND at >= toDateTime({since:UInt32}, 'UTC') AND at < toDateTime({until:UInt32}, 'UTC')
  AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
  AND signature != '' AND state != 'cancelled' AND kind != 'congestion'
