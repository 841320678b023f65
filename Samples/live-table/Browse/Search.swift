import Foundation

/// A search for a text in the rows, and how far it has come.
struct Search: Sendable, Equatable {
    /// Where a text was found.
    struct Match: Sendable, Equatable {
        let position: Int
        let column: String
    }

    /// How far a search has come.
    enum Progress: Sendable, Equatable {
        /// So many rows of so many were looked at.
        case running(Int, of: Int)
        case found(Match)
        case missing(of: Int)
        case stopped
        case failed(String)
    }

    /// What tells this search from those before it.
    let number: Int
    let text: String
    /// Whether the next rows are looked at, and not those before.
    let isForward: Bool
    /// Whether the chosen row is looked at first, and not last.
    let includesCursor: Bool
    var progress = Progress.running(0, of: 0)
    /// Whether its outcome is on the screen.
    var isShown = true

    var isRunning: Bool { if case .running = progress { true } else { false } }

    /// How it is with the search, in a few words; nil for nothing to say.
    var words: String? {
        guard isShown else { return nil }
        let quoted = "“\(text.printable.fitted(to: 24))”"
        return switch progress {
        case .running(let looked, let count):
            "searching \(quoted), \(looked.grouped) of \(count.grouped) · Esc stops"
        case .found(let match): "\(quoted) in \(match.column.printable)"
        case .missing(let count): "\(quoted) not found in \(count.grouped) \(count == 1 ? "row" : "rows")"
        case .stopped: "search stopped"
        case .failed(let code): "search stopped: \(code)"
        }
    }

    /// The positions to look at, in ranges of at most so many rows, in the order of the search.
    ///
    /// A range is looked through from its end where the search goes backward.
    func ranges(from cursor: Int, count: Int, length: Int) -> [Range<Int>] {
        let cursor = min(max(0, cursor), max(0, count - 1))
        let middle = min(count, isForward == includesCursor ? cursor : cursor + 1)
        let (after, before) = (Self.parts(of: middle..<count, length), Self.parts(of: 0..<middle, length))
        return isForward ? after + before : before.reversed() + after.reversed()
    }

    private static func parts(of range: Range<Int>, _ length: Int) -> [Range<Int>] {
        stride(from: range.lowerBound, to: range.upperBound, by: length)
            .map { $0..<min(range.upperBound, $0 + length) }
    }
}

extension LiveRow {
    /// Columns, and then those that this row alone has.
    func names(after columns: [String]) -> [String] {
        let known = Set(columns)
        return columns + members.map(\.name).filter { !known.contains($0) }
    }

    /// The first column whose value has a text in it, whatever the case and the accents of the letters.
    func column(with text: String, among columns: [String]) -> String? {
        columns.first { name in
            self[name].cell.range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil
        }
    }
}
