import Foundation

/// Writes lines at once, also to a program.
func say(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8)) }

/// Says what happened meanwhile, to people alone, who are then asked again.
func announce(_ text: String) {
    guard isatty(STDIN_FILENO) == 1 else { return }
    try? FileHandle.standardOutput.write(contentsOf: Data("\r  · \(text)\n> ".utf8))
}

/// The next line that is typed, read on a thread that may wait; nil at the end.
func readCommand() async -> String? {
    if isatty(STDIN_FILENO) == 1 { FileHandle.standardOutput.write(Data("> ".utf8)) }
    let line = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(returning: readLine().map { $0.trimmingCharacters(in: .whitespaces) })
        }
    }
    // The end of the input leaves the prompt's line unfinished.
    if line == nil, isatty(STDIN_FILENO) == 1 { say("") }
    return line
}
