-- Timers of a name on a lane, by release: fires, and how late they came.
SELECT
  release, lane_name AS lane, timer, uniqExact(instance) AS instances,
  sum(due) AS due_count, sum(fired) AS fired_count, sum(dropped) AS dropped_count,
  tupleElement(sumMap(lateness.bucket, lateness.count), 1) AS lateness_buckets,
  tupleElement(sumMap(lateness.bucket, lateness.count), 2) AS lateness_counts
FROM timers FINAL
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND at >= toDateTime({since:UInt32}, 'UTC') AND at < toDateTime({until:UInt32}, 'UTC')
  AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
GROUP BY release, lane_name, timer
