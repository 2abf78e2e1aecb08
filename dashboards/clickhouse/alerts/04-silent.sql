-- title: A service that was watched is not any more
-- above: 2
-- for: 0m
-- summary: Nothing was heard of {{ $labels.service }} for {{ $values.A }} hours; is 'stallwatch ship' running?
SELECT service, (toUnixTimestamp(now()) - toUnixTimestamp(max(hour)) - 3600) / 3600 AS value
FROM activity
WHERE hour >= toStartOfHour(now()) - 7 * 86400
GROUP BY service
