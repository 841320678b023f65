@testable import RemoteData

/// What one iteration has yielded, and which rows it owes.
struct IterationRecord {
    /// Rows that have matched ever since it began.
    var owed: Set<Int64>
    private(set) var yielded: Set<Int64> = []
    /// The ids that rows have now, by those they had.
    private var names: [Int64: Int64] = [:]

    init(owed: Set<Int64>) { self.owed = owed }

    /// - Returns: What is wrong; nil when nothing is.
    mutating func take(_ ids: [Int64]) -> String? {
        for id in ids.map({ names[$0] ?? $0 }) {
            guard yielded.insert(id).inserted else { return "\(id) is yielded twice" }
        }
        return nil
    }

    /// A row has got another id, by which it is known from now on, or may be taken for another one.
    mutating func rename(_ id: Int64, to new: Int64, isSure: Bool) {
        if owed.remove(id) != nil, isSure { owed.insert(new) }
        if yielded.remove(id) != nil, isSure { yielded.insert(new) }
        guard isSure else { return }
        names = names.mapValues { $0 == id ? new : $0 }
        names[id] = new
    }

    /// Some rows are owed no longer, and may come again.
    mutating func forgive(_ ids: Set<Int64>) {
        owed.subtract(ids)
        yielded.subtract(ids)
    }

    /// - Returns: What is wrong now that it has ended; nil when nothing is.
    var faultAtEnd: String? {
        let missed = owed.subtracting(yielded)
        return missed.isEmpty ? nil : "\(missed.sorted()) matched throughout and were not yielded"
    }
}
