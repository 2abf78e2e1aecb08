// A program that runs its main loop in one kind of trouble of its own making, for tools/judge/faults. It knows nothing of
// Stallwatch: what it prints, and its exit status, must be the same with a monitor and without.
//
//   troubled [TROUBLE [WHEN]]
//
// TROUBLE is blocked, fork, exec, killed, become (another user) or a filter of system calls: ACTION:CALL,CALL… WHEN is
// before or after its first run of a loop.

import Foundation

let arguments = CommandLine.arguments
let trouble = arguments.count > 1 ? arguments[1] : ""
let when = arguments.count > 2 ? arguments[2] : "after"

/// Holds the loop, waiting and then computing.
func turn(_ seconds: Double) {
  let tick = Timer(timeInterval: 0.2, repeats: true) { _ in
    usleep(60_000)
    let end = ProcessInfo.processInfo.systemUptime + 0.06
    while ProcessInfo.processInfo.systemUptime < end {}
  }
  RunLoop.main.add(tick, forMode: .default)
  RunLoop.main.run(until: Date(timeIntervalSinceNow: seconds))
  tick.invalidate()
}

func say(_ words: Any...) {
  print(words.map { "\($0)" }.joined(separator: " "))
  fflush(nil)
}

func makeTrouble() {
  switch trouble {
  case "blocked":
    var all = sigset_t()
    sigfillset(&all)
    sigprocmask(SIG_BLOCK, &all, nil)
  case "fork":
    let child = fork_process()
    if child == 0 {
      turn(0.2)
      say("child")
      exit(3)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    say("status", status >> 8)
  case "exec":
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("echo"), strdup("become"), nil]
    execv("/bin/echo", &words)
  case "killed": kill(getpid(), SIGKILL)
  case "become":
    say("becomes another user", setgid(65_534), setuid(65_534))
  case let filter where filter.contains(":"):
    say("filters", filter_calls(filter))
  default: break
  }
}

say("turning as", getuid(), geteuid())
if when == "before" { makeTrouble() }
turn(0.6)
if when == "after" { makeTrouble() }
turn(0.6)
say("over", geteuid())
exit(7)
