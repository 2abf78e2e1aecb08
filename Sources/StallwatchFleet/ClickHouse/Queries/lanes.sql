-- What lanes of a name did, by release and environment, over all instances. `lanes` names the group in histograms.sql.
SELECT
  cityHash64(release, environment, lane_name, lane_kind, is_main) AS lanes,
  release, environment, lane_name AS lane, lane_kind AS kind, is_main AS main,
  sum(watched_ns) AS watched, sum(busy_ns) AS busy, sum(iterations) AS turns,
  sum(stalls) AS stall_count, sum(stalled_ns) AS stalled, sum(hangs) AS hang_count, sum(hang_ns) AS hang,
  max(worst_ns) AS worst, sum(unattributed) AS no_cause,
  intDiv(toUInt32(min(hour)), 3600) AS first, intDiv(toUInt32(max(hour)), 3600) AS last
FROM activity FINAL
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND hour >= toDateTime({since:UInt32}, 'UTC') AND hour < toDateTime({until:UInt32}, 'UTC')
  AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
GROUP BY release, environment, lane_name, lane_kind, is_main
