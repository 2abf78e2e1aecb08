-- title: The functions that cost most
-- chart: table
SELECT function, file, line, loop, count(DISTINCT stall) AS stalls, round(sum(weight_ms), 1) AS milliseconds
FROM function_times WHERE function IS NOT NULL
GROUP BY function, file, loop ORDER BY milliseconds DESC LIMIT 20
