-- How many instances groups have, and how much these differ in hangs per watched time. Groups are all instances, those
-- of a release and those of an environment, each by the lanes that count; the instances with a lane of a name; and the
-- fleet, by all lanes. `hang_squares` and `hangs_squares` are the sums of (hang − ratio · watched)² over those that
-- were watched.
SELECT
  tupleElement(member, 1) AS part, tupleElement(member, 2) AS name,
  count() AS instances, countIf(watched > 0) AS used, sum(watched) AS watched_sum, sum(hang) AS hang_sum,
  sum(hang_count) AS hangs_sum,
  arraySum(arrayMap((y, x) -> pow(y - hang_sum / watched_sum * x, 2),
    groupArray(toFloat64(hang)), groupArray(toFloat64(watched)))) AS hang_squares,
  arraySum(arrayMap((y, x) -> pow(y - hangs_sum / watched_sum * x, 2),
    groupArray(toFloat64(hang_count)), groupArray(toFloat64(watched)))) AS hangs_squares
FROM (
  SELECT member, instance, sum(lane_watched) AS watched, sum(lane_hang) AS hang, sum(lane_hangs) AS hang_count
  FROM (
    SELECT
      release, environment, instance, lane_name,
      NOT has({item_kinds:Array(String)}, lane_kind) AND (is_main OR NOT {only_main:UInt8}) AS is_counted,
      sum(watched_ns) AS lane_watched, sum(hang_ns) AS lane_hang, sum(hangs) AS lane_hangs
    FROM activity FINAL
    WHERE service = {service:String}
      AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
      AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
      AND hour >= toDateTime({since:UInt32}, 'UTC') AND hour < toDateTime({until:UInt32}, 'UTC')
      AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
    GROUP BY release, environment, instance, lane_name, is_counted
  )
  ARRAY JOIN
    [('fleet', ''), ('lane', lane_name), ('all', ''), ('release', release), ('environment', environment)] AS member
  WHERE is_counted OR tupleElement(member, 1) IN ('fleet', 'lane')
  GROUP BY member, instance
)
GROUP BY member
