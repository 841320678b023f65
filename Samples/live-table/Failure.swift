/// Why the program ends early: one line for the user, and an exit code.
struct Failure: Error, Equatable {
    /// What went wrong and what to do about it, in one line; nil to say nothing.
    let message: String?
    /// 1 for a failed request, 2 for bad usage.
    let exitCode: Int32

    /// A request failed.
    init(_ message: String) {
        self.message = message.onOneLine
        exitCode = 1
    }

    private init(message: String?, exitCode: Int32) {
        self.message = message?.onOneLine
        self.exitCode = exitCode
    }

    /// The words on the command line are wrong.
    static func usage(_ message: String) -> Failure { Failure(message: message, exitCode: 2) }

    /// Nobody reads the output any more, as after `| head`: nothing is wrong.
    static let closedOutput = Failure(message: nil, exitCode: 0)
}

extension String {
    /// The text with line breaks and what follows them joined by spaces.
    var onOneLine: String {
        split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
