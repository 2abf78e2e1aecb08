-- The stacks that were seen in stalls of some causes, the heaviest first.
SELECT time.stack AS stack, sum(time.looks) AS look_count, sum(time.weight_ns) AS weight
FROM stack_times FINAL
ARRAY JOIN time
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND hour >= toDateTime({since:UInt32}, 'UTC') AND hour < toDateTime({until:UInt32}, 'UTC')
  AND has({signatures:Array(String)}, time.signature)
GROUP BY time.stack
ORDER BY weight DESC, stack
LIMIT 10000
