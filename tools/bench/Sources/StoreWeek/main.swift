// Writes a store as a monitor would in days of watching, by a clock of its own; prints its size day by day.

import Foundation
import StallwatchCore
import StallwatchStore

let usage = """
  usage: store-week STORE DAYS STALLS

    a loop that is busy for 2 ms in every 20 ms, with so many stalls in a week, each with eight samples, and a tick of
    the drift probe every second; under the default retention

  """

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 3, let days = UInt64(arguments[1]), let stallsAWeek = UInt64(arguments[2]), days > 0,
  stallsAWeek > 0
else {
  FileHandle.standardError.write(Data(usage.utf8))
  exit(2)
}
let path = arguments[0]
let start = 1_000 * Nanoseconds.second
let day = 86_400 * Nanoseconds.second
let loop = LoopID(rawValue: 1)
let recorder = try ManualRecorder(
  path: path,
  session: SessionRecord(
    process: .current(), command: ["store-week"], startedAt: 1_700_000_000 * .second, startedNs: start,
    threshold: 50 * .millisecond, origin: "embedded", platform: "bench"), retention: RetentionLimits())
try recorder.take([
  .loop(LoopRecord(id: loop, name: "main", threadID: 1, isMain: true, startedNs: start)),
  .mode(ModeRecord(loop: loop, index: 0, name: "kCFRunLoopDefaultMode", attachedNs: start)),
])

var busy = BusyLoop(loop: loop)
let between = 7 * day / stallsAWeek
var stalls: UInt64 = 0
for seconds in 0..<days * 86_400 {
  let moment = start + seconds * .second
  var records = [busy.second(at: moment)]
  records.append(
    .driftTick(
      DriftTick(
        loop: loop, number: seconds, dueNs: moment, runLoopLateness: busy.varied(.millisecond),
        gcdLateness: busy.varied(100_000),
        inOtherModes: 0)))
  while start + (stalls + 1) * between < moment + .second {
    stalls += 1
    records += busy.stall(stalls, at: start + stalls * between)
  }
  if seconds % 60 == 59 {
    records.append(
      .health(
        HealthRecord(atNs: moment + .second, observerTotal: seconds, monitorCPU: seconds, wakeups: seconds)))
  }
  try recorder.take(records)
  if (seconds + 1) % 86_400 == 0 {
    let length = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    let facts: [String: Any] = [
      "day": Int(seconds / 86_400 + 1), "used": Int(try recorder.used()), "file": length, "stalls": Int(stalls),
    ]
    let line = try JSONSerialization.data(withJSONObject: facts, options: [.sortedKeys])
    FileHandle.standardOutput.write(line + Data("\n".utf8))
  }
}
try recorder.close(endedNs: start + days * day)
