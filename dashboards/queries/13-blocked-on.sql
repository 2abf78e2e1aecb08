-- title: What they were blocked on
-- chart: table
SELECT blocked_on, target, sum(stalls) AS stalls, round(sum(blocked_ms), 1) AS milliseconds
FROM blocked_on_list GROUP BY blocked_on, target ORDER BY milliseconds DESC LIMIT 20
