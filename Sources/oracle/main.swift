import Foundation

// Compares collections over real sockets with what the server itself answers, while others write and things break.

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
exit(await Program(arguments).run())
