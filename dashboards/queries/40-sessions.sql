-- title: Sessions
-- chart: table
SELECT id, command, pid, host, started, round(duration_s, 1) AS seconds, ended, exit_status, loops, stalls,
  round(worst_ms, 1) AS worst_ms,
  (SELECT coalesce(sum(count), 0) FROM losses WHERE losses.session = session_list.id AND what <> 'looks') AS lost, trouble
FROM session_list ORDER BY id DESC LIMIT 50
