-- Histograms of spans (0) and of delays (1), by the groups of lanes.sql: one counter a row. It groups by one number,
-- because to group every counter by the five columns takes several times as long.
SELECT measure, lanes, bucket, sum(counter) AS records
FROM (
  SELECT
    0 AS measure, cityHash64(release, environment, lane_name, lane_kind, is_main) AS lanes,
    span.bucket AS buckets, span.count AS counters
  FROM activity FINAL
  WHERE service = {service:String}
    AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
    AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
    AND hour >= toDateTime({since:UInt32}, 'UTC') AND hour < toDateTime({until:UInt32}, 'UTC')
    AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
  UNION ALL
  SELECT
    1 AS measure, cityHash64(release, environment, lane_name, lane_kind, is_main) AS lanes,
    delay.bucket AS buckets, delay.count AS counters
  FROM activity FINAL
  WHERE service = {service:String}
    AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
    AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
    AND hour >= toDateTime({since:UInt32}, 'UTC') AND hour < toDateTime({until:UInt32}, 'UTC')
    AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
)
ARRAY JOIN buckets AS bucket, counters AS counter
GROUP BY measure, lanes, bucket
