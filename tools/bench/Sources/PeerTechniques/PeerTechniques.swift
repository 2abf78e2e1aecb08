import Foundation
import Techniques

/// Begins every technique on the main loop of the program that `PEERS_PROGRAM` names, and writes what they say to the
/// file `PEERS_OUT`, one JSON object a line. `PEERS_THRESHOLD_NS` takes the place of their usual thresholds.
@_cdecl("peer_techniques_begin")
func beginPeerTechniques() {
  let environment = ProcessInfo.processInfo.environment
  guard let path = environment["PEERS_OUT"], let program = environment["PEERS_PROGRAM"],
    ProcessInfo.processInfo.arguments.first?.hasSuffix(program) == true
  else { return }
  let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else { return }
  let threshold = environment["PEERS_THRESHOLD_NS"].flatMap { UInt64($0) }
  for technique in techniques {
    let name = technique.name
    let bound = threshold ?? technique.usualThreshold
    _ = Unmanaged.passRetained(
      technique.init(threshold: bound) { sighting in
        let ended = sighting.ended.map(String.init) ?? "null"
        let line =
          #"{"technique":"\#(name)","threshold_ns":\#(bound),"started_ns":\#(sighting.started),"#
          + #""ended_ns":\#(ended),"reported_ns":\#(sighting.reported)}"# + "\n"
        _ = line.withCString { write(descriptor, $0, strlen($0)) }
      } as AnyObject)
  }
}
