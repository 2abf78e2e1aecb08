-- title: Stalls by severity
-- chart: bars
-- x: severity
-- y: stalls
SELECT severity, count(*) AS stalls FROM stalls
WHERE kind = 'stall' AND state IN ('ended', 'fatal')
GROUP BY severity ORDER BY min(duration_ns)
