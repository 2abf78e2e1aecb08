-- How long stalls of each cause last, by unit: number, time, and the sums of the logarithms and of their squares, of
-- nanoseconds, which say the geometric mean and its spread.
SELECT
  release, environment, instance, signature,
  count() AS stall_count, sum(duration_ns) AS total, max(duration_ns) AS worst,
  sum(log(duration_ns)) AS logs, sum(log(duration_ns) * log(duration_ns)) AS squared_logs
FROM stalls FINAL
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND at >= toDateTime({since:UInt32}, 'UTC') AND at < toDateTime({until:UInt32}, 'UTC')
  AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
  AND signature != '' AND state != 'cancelled' AND kind != 'congestion'
GROUP BY release, environment, instance, signature
