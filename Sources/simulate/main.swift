import Foundation
import RemoteDataTesting

// Runs generated scenarios and reports the first that is not as it has to be.

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "help" || !Set(words).isDisjoint(with: ["--help", "-h"]) {
    print(Arguments.usage)
    exit(0)
}
let arguments: Arguments
do { arguments = try Arguments(words) } catch {
    FileHandle.standardError.write(Data((error.message + "\n").utf8))
    exit(2)
}
exit(arguments.isOfWrites ? WriteSimulation(arguments).run() : Simulation(arguments).run())
