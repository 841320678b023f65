/// Whether an update may send what differs between an element and its row.
///
/// A column that differs was changed by the caller, or is left over from the earlier version of the row that
/// the element was made from. It is sent where no version that is known explains it in the second way.
struct UpdateCheck {
    private let element: JSONLeaves
    private let newest: JSONLeaves
    private let written: WrittenValues.OfRow
    /// Where a table writes the date of the last change, which identifies a version.
    private let stamp: JSONPath?
    /// What differs between the element and the row, and is to be sent.
    let changed: Set<JSONPath>
    /// Columns that differ and are left out: what the table made of the element when it was written before,
    /// and the date of the last change.
    let omitted: Set<String>

    /// - Parameters:
    ///   - element: What the element writes.
    ///   - newest: What it would write if it had been made from the row as it is known now.
    ///   - written: What own updates wrote to the row.
    ///   - stamp: Where the table writes the date of the last change.
    init(_ element: JSONLeaves, newest: JSONLeaves, written: WrittenValues.OfRow, stamp: JSONPath? = nil) {
        (self.element, self.newest, self.written, self.stamp) = (element, newest, written, stamp)
        let all = element.paths(otherThanIn: newest)
        let effects = written.effects(on: element, newest: newest)
        let others = all.filter { !effects.contains($0) && $0 != stamp }
        // No part of a column can be left out.
        omitted = all.columns.subtracting(others.columns)
        changed = all.filter { [omitted] in !omitted.contains($0[0]) }
    }

    /// The columns that the element may have from an earlier version without its caller having changed them.
    ///
    /// - Parameter versions: What elements of those versions have.
    /// - Returns: The columns, and which version they are from; nil where there are none.
    func leftovers(from versions: [JSONLeaves]) -> (columns: Set<String>, version: Int)? {
        let isDated = versions.contains(where: hasDate) || hasDate(newest)
        for (index, version) in versions.enumerated() where !isDated || hasDate(version) {
            let columns = leftovers(from: version)
            if !columns.isEmpty { return (columns, index) }
        }
        return nil
    }

    /// What this collection wrote itself counts as changed back, unless the element has other changes of the
    /// version that were not written together with it, and nothing of what the row has now.
    private func leftovers(from version: JSONLeaves) -> Set<String> {
        let left = changed.filter { element[$0] == version[$0] }
        let others = left.filter { !isOwn($0) }
        guard others.isEmpty, !left.isEmpty else { return others.columns }
        let since = element.paths(otherThanIn: version).filter { !omitted.contains($0[0]) }
        let isStale = since.isSubset(of: changed) && !written.wrote(since, togetherWith: left)
        return isStale ? left.columns : []
    }

    /// The columns that the element may have from a version that is not known any more.
    ///
    /// - Parameter mayHaveChanged: Whether a column may have had another value in one.
    /// - Returns: The columns.
    func leftovers(where mayHaveChanged: (String) -> Bool) -> Set<String> {
        guard !hasDate(newest) else { return [] }
        return changed.filter { !isOwn($0) && mayHaveChanged($0[0]) }.columns
    }

    /// Whether a version has the date of the last change that the element has.
    private func hasDate(_ version: JSONLeaves) -> Bool {
        guard let stamp, let date = element[stamp] else { return false }
        return version[stamp] == date
    }

    /// Whether the row has now what this collection wrote.
    private func isOwn(_ path: JSONPath) -> Bool { written.isValue(newest[path], at: path) }
}

extension JSONLeaves {
    /// Where two objects differ.
    func paths(otherThanIn other: JSONLeaves) -> Set<JSONPath> {
        Set(keys).union(other.keys).filter { self[$0] != other[$0] }
    }
}

extension Set<JSONPath> {
    fileprivate var columns: Set<String> { Set<String>(map { $0[0] }) }
}
