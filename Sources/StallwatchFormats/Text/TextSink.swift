import StallwatchReport

/// Takes a renderer's output piece by piece. An error that it throws ends the rendering and reaches the caller.
package typealias TextSink = (String) throws -> Void
