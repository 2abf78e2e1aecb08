-- The longest stalls of some causes: those from which the first of each instance come first can be chosen. Where there are
-- fewer instances than are asked for, the second part has every stall that can be among them.
SELECT release, environment, instance, session, number, lane, signature, started_ns, duration_ns
FROM (
  SELECT release, environment, instance, session, number, lane_name AS lane, signature, started_ns, duration_ns
  FROM stalls FINAL
  WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
    AND at >= toDateTime({since:UInt32}, 'UTC') AND at < toDateTime({until:UInt32}, 'UTC')
    AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
    AND has({signatures:Array(String)}, signature) AND state != 'cancelled' AND kind != 'congestion'
  ORDER BY duration_ns DESC, session, number
  LIMIT 1 BY instance
  LIMIT 10
  UNION ALL
  SELECT release, environment, instance, session, number, lane_name AS lane, signature, started_ns, duration_ns
  FROM stalls FINAL
  WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
    AND at >= toDateTime({since:UInt32}, 'UTC') AND at < toDateTime({until:UInt32}, 'UTC')
    AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
    AND has({signatures:Array(String)}, signature) AND state != 'cancelled' AND kind != 'congestion'
  ORDER BY duration_ns DESC, session, number
  LIMIT 10 BY instance
  LIMIT 100
)
GROUP BY release, environment, instance, session, number, lane, signature, started_ns, duration_ns
ORDER BY duration_ns DESC, session, number
