// Writes stores, through Stallwatch's writer and through nothing but SQLite; prints what that cost as one JSON object.
//
//   store-cost write STORE STALLS [SAMPLES]   through the writer: so many stalls, each with so many samples (8)
//   store-cost raw FROM COPY rows|statements N  the rows of FROM through prepared inserts, in N transactions; `statements`: as the writer must,
//                                             stalls begun first and completed when they end

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
let facts: [String: Any]
switch (arguments.first, arguments.count) {
case ("write", 3...4):
  guard let stalls = Int(arguments[2]), let samples = Int(arguments.count > 3 ? arguments[3] : "8") else { exit(2) }
  facts = try writeThroughRecorder(arguments[1], stalls: stalls, samples: samples)
case ("raw", 5):
  guard let transactions = Int(arguments[4]), transactions > 0 else { exit(2) }
  facts = try RawCopy(from: arguments[1])
    .write(arguments[2], completing: arguments[3] == "statements", transactions: transactions)
default:
  FileHandle.standardError.write(
    Data("usage: store-cost write STORE STALLS [SAMPLES] | raw FROM COPY rows|statements TRANSACTIONS\n".utf8))
  exit(2)
}
print(String(decoding: try JSONSerialization.data(withJSONObject: facts, options: [.sortedKeys]), as: UTF8.self))
