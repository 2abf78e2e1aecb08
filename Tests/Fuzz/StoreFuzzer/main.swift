// Breaks stores and asks each all that the command's verbs ask: store-fuzzer FOLDER SEED FIRST COUNT
//
// Prints the number of each mutant before it is read, so that whoever runs this knows which one ended it by a signal. A
// finding is a line that begins with `FINDING`. Exit codes: 0 no finding, 1 some. tools/fuzz/stores runs it in parts.

import Foundation
import SeededNumbers
import StallwatchStore

let words = CommandLine.arguments
guard words.count == 5, let seed = UInt64(words[2]), let first = UInt64(words[3]), let count = UInt64(words[4]) else {
  print("usage: store-fuzzer FOLDER SEED FIRST COUNT")
  exit(2)
}
let (folder, scratch) = (words[1] + "/read", words[1] + "/scratch")
for path in [folder, scratch] {
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
}
setenv("TMPDIR", scratch, 1)
let samples = try SampleStores(in: scratch)
let (path, good, target) = (folder + "/mutant", scratch + "/good", scratch + "/target")
try samples.whole.write(to: URL(fileURLWithPath: good))
// A mutant that asks for more, or takes longer, ends the program.
SQLiteLibrary.limitMemory(to: 100 << 20)
var most = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
setrlimit(__rlimit_resource_t(2), &most)  // RLIMIT_DATA
let patience: UInt32 = 20

/// Says something at once: the next step may end the program.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// The files of the folder that is read, but for the index that SQLite keeps of a log.
func contents() throws -> [String: Data] {
  var contents: [String: Data] = [:]
  for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !name.hasSuffix("-shm") {
    contents[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
  }
  return contents
}

var (findings, answers, refusals) = (0, 0, 0)
for number in first..<first + count {
  say("mutant \(number)")
  var chance = RandomNumbers(seed: seed, number: number)
  let mutant = Mutation.mutant(of: samples, scratch: scratch, &chance)
  if getenv("SHOW_MUTANTS") != nil { say(mutant.history.joined(separator: "; ")) }
  for name in try FileManager.default.contentsOfDirectory(atPath: folder) { unlink(folder + "/" + name) }
  try mutant.store.write(to: URL(fileURLWithPath: path))
  for (suffix, bytes) in mutant.companions { try bytes.write(to: URL(fileURLWithPath: path + suffix)) }
  try Data("precious".utf8).write(to: URL(fileURLWithPath: folder + "/bystander"))
  // A journal's name for it is relative to where the program runs.
  guard chdir(folder) == 0 else { fatalError("the folder is gone") }
  let before = try contents()
  func report(_ finding: String) {
    findings += 1
    say("FINDING mutant \(number): \(finding) [\(mutant.history.joined(separator: "; "))]")
  }
  for question in EveryVerb(path, good: good, target: target).questions {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(target + suffix) }
    say("  \(question.name)")
    alarm(patience)
    do {
      try question.ask()
      answers += 1
    } catch let error as StoreError {
      refusals += 1
      switch error {
      case .failed, .notPermitted, .missing: report("\(question.name) blames something else: \(error)")
      default: break
      }
      if error.path != path || error.message.contains("\n") { report("\(question.name): \(error)") }
    } catch {
      report("\(question.name): \(error)")
    }
    alarm(0)
  }
  if try contents() != before { report("a file was changed") }
}
say("done: \(count) mutants, \(answers) answers, \(refusals) refusals, \(findings) findings")
exit(findings == 0 ? 0 : 1)
