-- The tables of rows, for ClickHouse from 18.16 on.
--
-- A row states what is so. Of the rows with one sorting key, the one with the highest version holds, and
-- ReplacingMergeTree drops the others in time. So a row may come any number of times, in any order. That is also why
-- sorting keys hold only what never changes about a row, and partitions follow from them.
--
-- Columns of few values are LowCardinality: questions then group by numbers instead of texts. Servers before 19.6 get
-- plain texts.
--
-- 'fleet migrate' applies this file. With --cluster, each table has '_local' behind its name and one without it is
-- Distributed over the shards, by the key behind 'shard by'; all rows of one session meet on one shard. With --keep, rows
-- go when what stands behind 'age by' is that long ago.

-- What a lane did in an hour, and the causes of the stalls that began in it.
-- shard by session
-- age by hour
CREATE TABLE IF NOT EXISTS activity (
  service LowCardinality(String),
  release LowCardinality(String),
  environment LowCardinality(String),
  instance String,
  session UInt64,
  hour DateTime('UTC'),
  lane UInt32,
  lane_name LowCardinality(String),
  lane_kind LowCardinality(String),
  is_main UInt8,
  watched_ns UInt64,
  busy_ns UInt64,
  iterations UInt64,
  stalls UInt64,
  stalled_ns UInt64,
  hangs UInt64,
  hang_ns UInt64,
  worst_ns UInt64,
  unattributed UInt64,
  span Nested(bucket UInt16, count UInt64),
  delay Nested(bucket UInt16, count UInt64),
  cause Nested(signature String, stalls UInt64, total_ns UInt64, worst_ns UInt64, first_ns UInt64, last_ns UInt64),
  version UInt64
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toMonday(hour)
ORDER BY (service, hour, session, lane);

-- Stalls that are over.
-- shard by session
-- age by at
CREATE TABLE IF NOT EXISTS stalls (
  service LowCardinality(String),
  release LowCardinality(String),
  environment LowCardinality(String),
  instance String,
  session UInt64,
  at DateTime('UTC'),
  started_ns UInt64,
  number UInt64,
  lane UInt32,
  lane_name LowCardinality(String),
  kind LowCardinality(String),
  state LowCardinality(String),
  severity LowCardinality(String),
  mode LowCardinality(String),
  phase LowCardinality(String),
  duration_ns UInt64,
  running_ns UInt64,
  blocked_ns UInt64,
  starved_ns UInt64,
  signature String,
  call String,
  target String,
  annotation Nested(name String, value String),
  version UInt64
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toMonday(at)
ORDER BY (service, at, session, number);

-- Which stacks were seen in the stalls of an hour, and for how long.
-- shard by session
-- age by hour
CREATE TABLE IF NOT EXISTS stack_times (
  service LowCardinality(String),
  release LowCardinality(String),
  environment LowCardinality(String),
  instance String,
  session UInt64,
  hour DateTime('UTC'),
  time Nested(signature String, stack UInt64, looks UInt64, weight_ns UInt64),
  version UInt64
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toMonday(hour)
ORDER BY (service, hour, session);

-- shard by session
-- age by at
CREATE TABLE IF NOT EXISTS sessions (
  service LowCardinality(String),
  release LowCardinality(String),
  environment LowCardinality(String),
  instance String,
  session UInt64,
  at DateTime('UTC'),
  started_ns UInt64,
  duration_ns UInt64,
  ended LowCardinality(String),
  exit_status Int32,
  threshold_ns UInt64,
  platform LowCardinality(String),
  host String,
  command Array(String),
  tag Nested(name String, value String),
  unobserved_ns UInt64,
  excluded_ns UInt64,
  observer_ns UInt64,
  monitor_cpu_ns UInt64,
  wakeups UInt64,
  loop_lateness Nested(bucket UInt16, count UInt64),
  dispatch_lateness Nested(bucket UInt16, count UInt64),
  loss Nested(what String, count UInt64),
  version UInt64
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (service, at, session);

-- shard by session
-- age by at
CREATE TABLE IF NOT EXISTS timers (
  service LowCardinality(String),
  release LowCardinality(String),
  environment LowCardinality(String),
  instance String,
  session UInt64,
  at DateTime('UTC'),
  lane_name LowCardinality(String),
  timer String,
  due UInt64,
  fired UInt64,
  dropped UInt64,
  lateness Nested(bucket UInt16, count UInt64),
  version UInt64
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (service, at, session, lane_name, timer);

-- What the keys of causes stand for.
-- shard by cityHash64(service, signature)
CREATE TABLE IF NOT EXISTS signatures (
  service String,
  signature String,
  title String,
  function String,
  file String,
  line UInt32,
  call String,
  called String,
  near String,
  frames Array(String),
  version UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (service, signature);

-- The names of stacks, root first.
-- shard by stack
CREATE TABLE IF NOT EXISTS stacks (
  service String,
  stack UInt64,
  frames Array(String),
  version UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (service, stack);
