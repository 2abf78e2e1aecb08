-- title: Records of monitored programs are lost
-- above: 0
-- for: 0m
-- summary: {{ $values.A }} records of {{ $labels.service }} {{ $labels.release }} are missing from the figures.
SELECT service, release, sum(arraySum(loss.count)) AS value
FROM sessions FINAL
WHERE intDiv(started_ns + duration_ns, 1000000000) >= toUnixTimestamp(now()) - 7200
GROUP BY service, release
