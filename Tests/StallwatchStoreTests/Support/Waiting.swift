import Foundation

/// Whether `condition` comes true within half a minute, which is longer than any machine takes.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  for _ in 0..<3_000 {
    if try condition() { return true }
    usleep(10_000)
  }
  return false
}
