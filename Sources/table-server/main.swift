import Foundation

exit(await Program(Array(CommandLine.arguments.dropFirst())).run())
