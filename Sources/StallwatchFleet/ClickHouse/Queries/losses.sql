-- The records that are missing, by kind.
SELECT loss.what AS what, sum(loss.count) AS records
FROM sessions FINAL
ARRAY JOIN loss
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND at < toDateTime({until:UInt32}, 'UTC') AND intDiv(started_ns + duration_ns, 1000000000) >= {since:UInt32}
GROUP BY loss.what
