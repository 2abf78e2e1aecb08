// Holds Node's event loop by a schedule, under its own monitor of delays: node event-loop.js SCHEDULE.json
// The schedule is a list of {afterMs, holdMs}. Prints one JSON object: the holds as measured, and the monitor's figures.
const { monitorEventLoopDelay } = require('perf_hooks');
const schedule = JSON.parse(require('fs').readFileSync(process.argv[2], 'utf8'));

const monitor = monitorEventLoopDelay({ resolution: 10 });
const holds = [];
let next = 0;

function hold() {
  const began = process.hrtime.bigint();
  const end = began + BigInt(Math.round(schedule[next].holdMs * 1e6));
  while (process.hrtime.bigint() < end);
  holds.push(Number(process.hrtime.bigint() - began));
  next += 1;
  if (next < schedule.length) return void setTimeout(hold, schedule[next].afterMs);
  setTimeout(report, 100);
}

function report() {
  monitor.disable();
  console.log(JSON.stringify({
    holds,
    samples: monitor.count,
    mean: monitor.mean, p50: monitor.percentile(50), p90: monitor.percentile(90), p99: monitor.percentile(99), max: monitor.max,
  }));
}

monitor.enable();
setTimeout(hold, schedule[0].afterMs);
