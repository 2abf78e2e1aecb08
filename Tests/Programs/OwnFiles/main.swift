// A program that closes every descriptor that it does not know, as daemons do, and then writes files of its own: each must
// hold what it wrote, byte for byte, and nothing else.
//
//   own-files HOW WHEN [STORE]
//
// HOW is closefrom, close_range, close or dup2; WHEN is before or after its first run of a loop. With STORE it embeds the
// monitor. What run loops need themselves (no file on a disk) is spared where there is one. Prints how many files it found
// open that were not its own, and exits with 0 when its files are whole.

import CoreFoundation
import Foundation
import Stallwatch

let arguments = CommandLine.arguments
let (how, when) = (arguments[1], arguments[2])
let folder: String = FileManager.default.temporaryDirectory.appendingPathComponent("own-files-\(getpid())").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)

struct OwnFile {
  var descriptor: Int32
  var path: String
  var text = ""
}

// All of it belongs to the main thread.
nonisolated(unsafe) var files: [OwnFile] = []
nonisolated(unsafe) var strangers = 0
nonisolated(unsafe) var rest = 0

/// Where a descriptor leads: a path for a file.
func target(of descriptor: Int32) -> String? {
  var buffer = [CChar](repeating: 0, count: 4_096)
  let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1)
  return count < 0 ? nil : String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Whether a run loop or the runtime needs it: a loop's own descriptors are no files.
func isSpared(_ descriptor: Int32) -> Bool { target(of: descriptor).map { !$0.hasPrefix("/") } ?? false }

func isOwn(_ descriptor: Int32) -> Bool { target(of: descriptor)?.hasPrefix(folder) ?? false }

func closeUnknown(all: Bool) {
  for file in files { close(file.descriptor) }
  // The monitor has files of /proc open for microseconds (Limits): the test is of those that stay.
  strangers += (3..<1_024 as Range<Int32>).count { descriptor in
    target(of: descriptor).map { $0.hasPrefix("/") && !$0.hasPrefix("/proc/") } ?? false
  }
  if all, how == "closefrom" { return closefrom(3) }
  if all, how == "close_range" {
    // Not every C library's headers show it to Swift.
    let close = unsafeBitCast(
      dlsym(nil, "close_range"), to: (@convention(c) (UInt32, UInt32, Int32) -> Int32).self)
    precondition(close(3, UInt32.max, 0) == 0)
    return
  }
  for descriptor in 3..<1_024 as Range<Int32> where all || !isSpared(descriptor) { close(descriptor) }
}

func openFiles() {
  for number in 0..<20 {
    let path = "\(folder)/\(files.count)-\(number)"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    precondition(descriptor >= 0)
    files.append(OwnFile(descriptor: descriptor, path: path))
  }
  guard how == "dup2" else { return }
  // Every number, taken or not, becomes one of the files.
  for descriptor in 3..<128 as Range<Int32> where !isSpared(descriptor) && !isOwn(descriptor) {
    // While another thread is opening a file under that number Linux has the caller try again (Limits).
    while dup2(files[files.count - 1].descriptor, descriptor) != descriptor { precondition(errno == EBUSY) }
  }
}

func writeOwnData() {
  for index in files.indices {
    let text = "own data \(index)\n"
    guard text.withCString({ write(files[index].descriptor, $0, strlen($0)) }) == text.utf8.count else { continue }
    files[index].text += text
  }
}

func turn() {
  rest = 4
  let timer = Timer(timeInterval: 0.02, repeats: true) { _ in
    guard rest > 0 else { return CFRunLoopStop(CFRunLoopGetMain()) }
    rest -= 1
    writeOwnData()
    usleep(90_000)
    writeOwnData()
  }
  RunLoop.main.add(timer, forMode: .default)
  CFRunLoopRunInMode(kCFRunLoopDefaultMode, 60, false)
  timer.invalidate()
}

let monitor = try arguments.count > 3 ? Monitor.start(Configuration(store: arguments[3])) : nil
if when == "after" { turn() }
// Only a program that has no loop yet may close everything.
closeUnknown(all: when == "before" && monitor == nil)
let kept = files.count
openFiles()
turn()
usleep(400_000)
monitor?.stop()

let bad = files.filter { (try? String(contentsOfFile: $0.path, encoding: .utf8)) != $0.text }
let unwritten = files[kept...].filter { $0.text.isEmpty }
print("strangers \(strangers), changed \(bad.count), unwritten \(unwritten.count)")
try FileManager.default.removeItem(atPath: folder)
exit(bad.isEmpty && unwritten.isEmpty ? 0 : 1)
