@testable import StallwatchReport
import StallwatchCore
let path = CommandLine.arguments[1]
let file = SymbolFile(path: path)!
let image = ImageRecord(path: path, buildID: file.buildID, base: 0x1000_0000, start: 0x1000_0000, end: 0x5000_0000)
let s = Symbolicator(images: [image], search: SymbolSearch())
var n = 0, named = 0, lined = 0
let clock = ContinuousClock()
var all = 0
let t = clock.measure {
  var a: UInt64 = UInt64(CommandLine.arguments[2], radix: 16)!
  let end = UInt64(CommandLine.arguments[3], radix: 16)!
  let step = (end - a) / 20000
  while a < end { let f = s.frames([0, 0x1000_0000 + a]); n += 1; all += f.count; if f.last!.name != nil { named += 1 }; if f.last!.location?.line != nil { lined += 1 }; a += step }
}
print(path, n, named, lined, all, t)
