-- The instances that hang most, by hang time per watched time on the lanes that count, of those that were used for a
-- while.
SELECT instance, sum(watched_ns) AS watched, sum(hangs) AS hang_count, sum(hang_ns) AS hang
FROM activity FINAL
WHERE service = {service:String}
  AND (empty({releases:Array(String)}) OR has({releases:Array(String)}, release))
  AND (empty({environments:Array(String)}) OR has({environments:Array(String)}, environment))
  AND hour >= toDateTime({since:UInt32}, 'UTC') AND hour < toDateTime({until:UInt32}, 'UTC')
  AND (empty({lanes:Array(String)}) OR has({lanes:Array(String)}, lane_name))
  AND NOT has({item_kinds:Array(String)}, lane_kind) AND (is_main OR NOT {only_main:UInt8})
GROUP BY instance
HAVING watched >= {least_watched:UInt64} AND hang > 0
ORDER BY hang / watched DESC, instance
LIMIT {limit:UInt64}
