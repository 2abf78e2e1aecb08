import EmbeddedScenarios
import Foundation

// Plays one scenario, named by the first argument, with the monitor embedded, which writes the store named by the second.
exit(EmbeddedScenario.play(CommandLine.arguments))
