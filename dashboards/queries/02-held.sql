-- title: Held in all, seconds
-- chart: metric
-- y: seconds
SELECT round(coalesce(sum(duration_ns * 1.0), 0) / 1e9, 3) AS seconds FROM stalls WHERE kind = 'stall' AND state <> 'cancelled'
