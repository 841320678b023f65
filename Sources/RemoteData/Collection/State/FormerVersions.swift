/// Versions of rows that callers may hold elements of although the table has others by now.
///
/// Elements are values, so nothing shows which version one was made from. An update looks here for versions
/// in which a column has the value that the element has: it may be left over rather than changed.
///
/// The last versions are kept whole. Of those before, digests show which columns are others in the row as it
/// is now. Of rows for which there is no room, any column may be another.
struct FormerVersions: Sendable {
    /// How many versions are kept whole.
    static let limit = 4_096
    /// How many bytes of JSON they have together.
    static let byteLimit = 4 << 20
    /// Of how many rows digests are kept.
    static let digestLimit = 49_152

    /// Whether the change being applied is an own one.
    ///
    /// The version it replaces is not digested: what is written may be changed back, and the rest is in the
    /// version that the update left.
    var isOwn = false

    /// The hashes of the ids of the versions, oldest first, from `first` on.
    private var marks: [UInt64] = []
    private var versions: [Version] = []
    private var first = 0
    private var bytes = 0
    private var digests: [UInt64: ColumnDigests] = [:]
    /// The rows with such versions that have no digests.
    private var others = RowFilter()

    private struct Version: Sendable {
        var row: Row
        let isOwn: Bool
    }

    /// What lies in the place of a version that was dropped.
    private static let nothing = Row(id: .integer(0), json: [])
}

// MARK: - Keeping

extension FormerVersions {
    /// How many versions are kept whole now.
    var count: Int { versions.count - first }

    /// Keeps a version of a row.
    ///
    /// - Parameter row: The version.
    /// - Complexity: O(bytes of the version) on average.
    mutating func keep(_ row: consuming Row) {
        // A kept row must not retain its whole page.
        row.takeMemory()
        marks.append(row.idMark)
        bytes += row.json.count
        versions.append(Version(row: row, isOwn: isOwn))
        while count > Self.limit || bytes > Self.byteLimit { dropFirst() }
    }

    private mutating func dropFirst() {
        let version = versions[first]
        versions[first].row = Self.nothing
        bytes -= version.row.json.count
        first += 1
        if first >= Self.limit {
            marks.removeFirst(first)
            versions.removeFirst(first)
            first = 0
        }
        if !version.isOwn { digest(version.row) }
    }

    /// Has the versions be older than everything in the history that begins.
    mutating func leaveHistory() {
        for index in versions.indices { versions[index].row = versions[index].row.leavingHistory() }
    }

    /// Adds what others keep; what they wrote themselves counts as written by others.
    ///
    /// - Complexity: O(what they keep).
    mutating func formUnion(_ other: FormerVersions) {
        for (mark, digests) in other.digests { digest(mark, digests) }
        others.formUnion(other.others)
        let wasOwn = isOwn
        isOwn = false
        for version in other.versions.dropFirst(other.first) { keep(version.row) }
        isOwn = wasOwn
    }

    private mutating func digest(_ version: Row) { digest(version.idMark, ColumnDigests(version)) }

    private mutating func digest(_ mark: UInt64, _ version: @autoclosure () -> ColumnDigests) {
        if digests[mark] != nil || digests.count < Self.digestLimit {
            digests[mark].formUnion(version())
        } else {
            others.insert(mark)
        }
    }
}

// MARK: - Asking

extension FormerVersions {
    /// How many versions of a row are compared with an element; of older ones the digests.
    private static let comparedLimit = 32

    /// The latest version of a row after the loaded one, from an answer to an own write; nil if none is.
    ///
    /// - Complexity: O(versions kept).
    func laterVersion(of row: Row) -> Row? {
        var latest = row
        for index in versions.indices.dropFirst(first) where marks[index] == row.idMark {
            let version = versions[index].row
            guard let revision = version.revision, let known = latest.revision else { continue }
            if revision.isLater(than: known) { latest = version }
        }
        return latest.revision == row.revision ? nil : latest
    }

    /// What is known of earlier versions of a row.
    ///
    /// - Parameters:
    ///   - row: The row as it is known now.
    ///   - marks: The hashes of the ids that it has or had.
    /// - Returns: What is known.
    /// - Complexity: O(versions kept).
    func past(of row: Row, under marks: [UInt64]) -> RowPast {
        var past = RowPast(row)
        for mark in marks {
            past.digests.formUnion(digests[mark])
            past.isUnknown = past.isUnknown || others.contains(mark)
        }
        // Most rows have had one id.
        let others = marks.filter { $0 != marks.first }
        for index in stride(from: versions.count - 1, through: first, by: -1)
        where self.marks[index] == marks.first || !others.isEmpty && others.contains(self.marks[index]) {
            let version = versions[index].row
            // Where changes have not come that far, it is the row that is the earlier one.
            if let later = version.revision, let known = row.revision, later.isLater(than: known) { continue }
            if past.versions.count < Self.comparedLimit {
                past.versions.append(version)
            } else {
                past.digests.formUnion(ColumnDigests(version))
            }
        }
        return past
    }
}
