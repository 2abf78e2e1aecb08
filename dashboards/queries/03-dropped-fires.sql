-- title: Dropped fires
-- chart: metric
-- y: dropped
SELECT coalesce(sum(dropped), 0) AS dropped FROM timers
