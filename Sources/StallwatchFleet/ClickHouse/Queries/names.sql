-- What there is: services with releases, environments and lanes, and the last hour of each, counted from 1970.
SELECT service, release, environment, lane_name AS lane, intDiv(toUInt32(max(hour)), 3600) AS newest
FROM activity FINAL
GROUP BY service, release, environment, lane_name
