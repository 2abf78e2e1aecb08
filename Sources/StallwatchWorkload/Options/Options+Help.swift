extension Options {
  /// The text of `--help`.
  static let help = """
    stallwatch-workload: holds up its own run loops by a plan, and writes down what it did.

    USAGE: stallwatch-workload [OPTIONS]

      --seed N         the same seed makes the same plan (1)
      --stalls N       how many stalls, over all loops; near-misses come on top (50)
      --min-stall D    the shortest stall (60ms)
      --max-stall D    the longest stall (900ms)
      --idle D         how long a loop waits before each stall (20ms)
      --modes K        how many private modes, made while the program runs (3)
      --threads T      how many secondary threads turn a loop of their own (2)
      --nested SHARE   the share of stalls inside a nested run, 0 to 1 (0.3)
      --how KINDS      how stalls spend their time, separated by commas (spin,usleep,lock,fsync,allocation)
      --slow KIND=F    holds of KIND last F times as long as planned, as in spin=1.2; several with commas
      --threshold D    near-misses last 70 to 92 % of it (50ms)
      --timers N       how many repeating timers run beside the stalls, every 5 ms to 2 s, over all loops and modes (0)
      --for D          the least time for which they run (10s)
      --lanes          hold other lanes than run loops: the main queue and actor, an actor, serial queues, Swift's pool, and
                       event loops; of the options above, --seed, --stalls, --min-stall, --max-stall, --idle and --threshold
                       count
      --truth FILE     write the truth there, as JSON lines
      --plan           print the plan as JSON lines and inject nothing
      --help           print this

    Durations are written 250ms, 2s, 16.667ms, 500us.

    TRUTH: one JSON object a line, all moments in nanoseconds of the monotonic clock.
      start        what was asked for, and the process
      stall-began  a hold begins: loop, thread_id, mode, depth (1 is not nested), how, callout, started_ns
      stall        the same hold is over: duration_ns as measured around it, and run_delay_ns, the part of it in which
                   the thread could have run and was given no processor. Near-misses are such lines too.
      nested       a nested run ended
                   With --lanes: loop, lane_kind, culprits (the functions that held it), how, started_ns, duration_ns; of a
                   queue or the pool, the time for which an item waited. Holds for which nobody waits have no line.
      preempted    the machine was late: for all threads (no thread_id), or for one loop's thread between two holds
      timer        a repeating timer: loop, thread_id, modes, interval_ns, how often it came due, how often it fired, and how
                   many of its fires were dropped
      end          totals

    EXAMPLE: stallwatch record -o run.db stallwatch-workload --seed 7 --truth truth.jsonl
    """
}
