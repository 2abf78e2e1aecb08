-- title: 99th percentile of spans, by release
-- chart: lines
-- x: time
-- y: milliseconds
-- series: release
-- unit: ms
SELECT time, release,
  if(place < 256, place * 256, bitShiftLeft(toUInt64(bitAnd(place, 127) + 128), toUInt8(intDiv(place, 128) + 7))) / 1e6 AS milliseconds
FROM (
  -- The end of the counter in which the percentile lies (HdrHistogram's layout, from 256 ns on, 128 counters a power of two).
  SELECT time, release,
    toUInt64(buckets[arrayFirstIndex(sum -> sum >= 0.99 * total, arrayCumSum(counts))] + 1) AS place
  FROM (
    SELECT hour AS time, release, sum(arraySum(span.count)) AS total,
      tupleElement(sumMap(span.bucket, span.count), 1) AS buckets, tupleElement(sumMap(span.bucket, span.count), 2) AS counts
    FROM activity FINAL
WHERE service IN (${service:sqlstring}) AND environment IN (${environment:sqlstring}) AND $__timeFilter(hour) AND is_main
    GROUP BY hour, release
  )
  WHERE total > 0
)
ORDER BY time, release
