-- title: Programs hang for more than 10 s per hour of use
-- above: 10
-- for: 15m
-- summary: {{ $labels.service }} {{ $labels.release }} hangs {{ $values.A }} s per hour of use; 'stallwatch fleet causes' says because of what.
SELECT service, release, sum(hang_ns) / sum(watched_ns) * 3600 AS value
FROM activity FINAL
WHERE is_main AND hour >= toStartOfHour(now()) - 7200
GROUP BY service, release
HAVING sum(watched_ns) >= 36000e9
