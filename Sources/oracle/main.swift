import Foundation

// Compares collections over real sockets with what the server itself answers, while others write and things break.

let arguments: Arguments
do { arguments = try Arguments(CommandLine.arguments.dropFirst()) } catch {
    FileHandle.standardError.write(Data((error.message + "\n").utf8))
    exit(error.message == Arguments.usage ? 0 : 2)
}
exit(await Program(arguments).run())
