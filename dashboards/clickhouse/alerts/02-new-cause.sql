-- title: A cause that nobody had last week hits three instances
-- above: 2
-- for: 0m
-- summary: {{ $labels.title }} is new in {{ $labels.service }} and hit {{ $values.A }} instances; 'stallwatch fleet cause {{ $labels.signature }}' shows it.
SELECT service, signature, any(title) AS title, uniqExact(instance) AS value
FROM (
  SELECT service, instance, hour, cause.signature AS signature
  FROM activity FINAL
  ARRAY JOIN cause
  WHERE hour >= toStartOfHour(now()) - 7 * 86400
) AS hits
GLOBAL ANY LEFT JOIN (SELECT service, signature, title FROM signatures FINAL) AS names USING service, signature
GROUP BY service, signature
HAVING min(hour) >= toStartOfHour(now()) - 86400
