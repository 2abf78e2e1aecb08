-- title: What stalls were doing, seconds
-- chart: bars
-- x: cause
-- y: seconds
SELECT 'running' AS cause, coalesce(sum(running_ns * 1.0), 0) / 1e9 AS seconds FROM stalls WHERE state <> 'cancelled'
UNION ALL
SELECT 'blocked', coalesce(sum(blocked_ns * 1.0), 0) / 1e9 FROM stalls WHERE state <> 'cancelled'
UNION ALL
SELECT 'starved', coalesce(sum(starved_ns * 1.0), 0) / 1e9 FROM stalls WHERE state <> 'cancelled'
