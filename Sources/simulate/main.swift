import Foundation
import RemoteDataTesting

// Runs generated scenarios and reports the first that is not as it has to be.

let arguments: Arguments
do { arguments = try Arguments(CommandLine.arguments.dropFirst()) } catch {
    FileHandle.standardError.write(Data((error.message + "\n").utf8))
    exit(error.message == Arguments.usage ? 0 : 2)
}
exit(arguments.isOfWrites ? WriteSimulation(arguments).run() : Simulation(arguments).run())
