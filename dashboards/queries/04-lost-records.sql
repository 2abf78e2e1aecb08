-- title: Records that did not fit
-- chart: metric
-- y: lost
SELECT coalesce(sum(count), 0) AS lost FROM losses WHERE what <> 'looks'
