-- How many instances have each cause, by release as 'r' and its name, and in all as ''. A cause is a number, from 1:
-- that which `numbers` has in the place of any of its `signatures`.
SELECT number, in_release, uniqExact(instance) AS instances
FROM (
  SELECT
    concat('r', release) AS in_release, instance,
    groupUniqArrayArray(arrayMap(
      x -> transform(x, {signatures:Array(String)}, {numbers:Array(UInt32)}, toUInt32(0)), cause.signature)) AS numbers
  FROM activity FINAL
  WHERE service = {service:String}
    AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
    AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
    AND hour >= toDateTime({since:UInt32}, 'UTC') AND hour < toDateTime({until:UInt32}, 'UTC')
    AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
  GROUP BY release, instance
)
ARRAY JOIN numbers AS number
GROUP BY number, in_release WITH ROLLUP
