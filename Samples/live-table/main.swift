import Foundation

// A vanished reader, such as `| head`, shows as a failed write, not as a signal.
signal(SIGPIPE, SIG_IGN)
exit(await Program.run(Array(CommandLine.arguments.dropFirst())))
