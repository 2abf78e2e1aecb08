// Reads broken programs as `report`, `doctor` and `record` do: symbol-fuzzer SEEDS SCRATCH SEED FIRST COUNT
//
// SEEDS is a folder of programs that are well, SCRATCH a file to write each mutant to. Prints each mutant's number before it
// is read: what ends this process is the last one. tools/fuzz/symbols runs it.

import Foundation
import SeededNumbers
import StallwatchCore
import StallwatchSymbols

let words = CommandLine.arguments
guard words.count == 6, let seedNumber = UInt64(words[3]), let first = UInt64(words[4]), let count = UInt64(words[5])
else {
  FileHandle.standardError.write(Data("usage: symbol-fuzzer SEEDS SCRATCH SEED FIRST COUNT\n".utf8))
  exit(2)
}
let (folder, scratch) = (words[1], words[2])
let seeds = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap {
  Seed(Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)"))))
}
guard !seeds.isEmpty else {
  FileHandle.standardError.write(Data("symbol-fuzzer: \(folder): no programs\n".utf8))
  exit(2)
}

/// Asks the file at `path` all that is ever asked of a program, at addresses in and around `code`.
func read(_ path: String, code: Range<UInt64>) {
  _ = ProgramInspection(path: path, libraries: LibrarySearch(libraryPath: nil))
  guard let image = ElfImage(path: path), let buildID = image.buildID else { return }
  let record = ImageRecord(path: path, buildID: buildID, base: 0, start: 0, end: .max)
  let symbolicator = Symbolicator(images: [record], search: SymbolSearch())
  let step = max((code.upperBound - code.lowerBound) / 100, 1)
  let addresses = Array(stride(from: code.lowerBound, to: code.upperBound, by: Int(step))) + [1, 1 << 40, .max - 1]
  _ = symbolicator.frames(addresses).count
}

for number in first..<first + count {
  FileHandle.standardOutput.write(Data("\(number)\n".utf8))
  var random = RandomNumbers(seed: seedNumber, number: number)
  guard let seed = seeds.randomElement(using: &random) else { break }
  try Data(Mutant(of: seed, by: &random).bytes).write(to: URL(fileURLWithPath: scratch))
  read(scratch, code: seed.code)
}
FileHandle.standardOutput.write(Data("done\n".utf8))
