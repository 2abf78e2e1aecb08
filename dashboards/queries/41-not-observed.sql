-- title: Excluded and unobserved time
-- chart: table
SELECT 'all' AS session, '' AS kind, '' AS reason, count(*) AS times, round(coalesce(sum(duration_ns * 1.0), 0) / 1e6, 1) AS milliseconds
FROM intervals
UNION ALL
SELECT * FROM (
  SELECT session, replace(kind, 'blind', 'unobserved') AS kind, reason, count(*) AS times, round(sum(duration_ns * 1.0) / 1e6, 1) AS milliseconds
  FROM intervals GROUP BY session, kind, reason ORDER BY milliseconds DESC LIMIT 50)
