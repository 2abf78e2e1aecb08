-- In how many hours of instances each cause was seen. Causes are numbers, as in reach.sql.
SELECT number, count() AS instance_hours
FROM (
  SELECT
    groupUniqArrayArray(arrayMap(
      x -> transform(x, {signatures:Array(String)}, {numbers:Array(UInt32)}, toUInt32(0)), cause.signature)) AS numbers
  FROM activity FINAL
  WHERE service = {service:String}
    AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
    AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
    AND hour >= toDateTime({since:UInt32}, 'UTC') AND hour < toDateTime({until:UInt32}, 'UTC')
    AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
  GROUP BY hour, instance
)
ARRAY JOIN numbers AS number
GROUP BY number
