import EmbeddedScenarios
import Foundation

// Like scenario-program-embedded; the hooks that are linked into this program find the monitor by themselves.
exit(EmbeddedScenario.play(CommandLine.arguments))
