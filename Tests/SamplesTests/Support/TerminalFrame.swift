import Foundation

/// What a terminal shows after a frame of the browser: its lines, without colors.
struct TerminalFrame {
    let lines: [String]

    /// Reads a frame, which places each of its lines.
    init(_ frame: some StringProtocol) {
        let parts = String(frame).split(separator: /\u{1B}\[[0-9]+;1H/, omittingEmptySubsequences: false)
        lines = parts.dropFirst().map { String($0.replacing(/\u{1B}\[[0-9;?]*[a-zA-Z]/, with: "")) }
    }

    /// The whole frames of an output.
    static func all(in output: String) -> [TerminalFrame] {
        output.split(separator: "\u{1B}[?2026h").compactMap { part in
            part.range(of: "\u{1B}[?2026l").map { TerminalFrame(part[..<$0.lowerBound]) }
        }
    }

    /// The last line.
    var foot: String { lines.last ?? "" }
}
