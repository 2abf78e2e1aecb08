-- The stalls of each signature, by release.
SELECT
  cause.signature AS signature, release,
  sum(cause.stalls) AS stall_count, sum(cause.total_ns) AS total, max(cause.worst_ns) AS worst,
  min(cause.first_ns) AS first, max(cause.last_ns) AS last
FROM activity FINAL
ARRAY JOIN cause
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND hour >= toDateTime({since:UInt32}, 'UTC') AND hour < toDateTime({until:UInt32}, 'UTC')
  AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
GROUP BY cause.signature, release
