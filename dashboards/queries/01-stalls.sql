-- title: Stalls
-- chart: metric
-- y: stalls
SELECT count(*) AS stalls FROM stalls WHERE kind = 'stall' AND state <> 'cancelled'
