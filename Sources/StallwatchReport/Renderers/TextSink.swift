/// Takes a renderer's output piece by piece. What it throws ends the rendering and reaches the caller.
public typealias TextSink = (String) throws -> Void
