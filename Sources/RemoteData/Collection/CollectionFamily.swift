import Synchronization

/// The collections that were narrowed from one another: each can update elements that another gave out.
///
/// An update asks all of them for the versions that its element may have been made from. A collection that
/// ends leaves what it knows to another one.
final class CollectionFamily<Element: Codable & Identifiable & Sendable>: Sendable {
    typealias Member = RemoteDataCollection<Element>

    private struct Entry: Sendable {
        let id: ObjectIdentifier
        weak var member: Member?
    }

    private let entries = Mutex<[Entry]>([])

    func join(_ member: Member) {
        entries.withLock { $0.append(Entry(id: ObjectIdentifier(member), member: member)) }
    }

    /// The other members, and whether one of them is just ending: what it gave out is not known.
    func relatives(of member: Member) -> (members: [Member], isOneEnding: Bool) {
        let others = entries.withLock { $0.filter { $0.id != ObjectIdentifier(member) }.map(\.member) }
        return (others.compactMap(\.self), others.contains { $0 == nil })
    }

    /// Called by a member that ends.
    ///
    /// - Parameters:
    ///   - id: Which.
    ///   - given: What it gave out; only asked for where another member takes it.
    func leave(_ id: ObjectIdentifier, leaving given: () -> GivenVersions) {
        let others = entries.withLock { $0.map(\.member) }
        others.lazy.compactMap(\.self).first?.noteGiven(given())
        entries.withLock { $0.removeAll { $0.id == id } }
    }
}

extension RemoteDataCollection {
    /// How many rows are noted at a time.
    private static var stepSize: Int { 1_000 }

    /// Notes what callers may hold elements of that a relative gave out.
    fileprivate func noteGiven(_ given: GivenVersions) {
        state.withLock { $0.core.noteGiven(given.former) }
        for start in stride(from: 0, to: given.rows.count, by: Self.stepSize) {
            state.withLock { state in
                for row in given.rows[start...].prefix(Self.stepSize) { state.core.noteRead(row) }
            }
        }
    }

    /// The newest version of a row that this collection or a relative knows; nil where it is not here.
    func newest(_ id: RowID) -> Row? {
        guard var newest = state.withLock({ $0.core.newest(id) }) else { return nil }
        for relative in family.relatives(of: self).members {
            guard let row = relative.state.withLock({ $0.core.newest(id) }), let revision = row.revision,
                let known = newest.revision, revision.isLater(than: known)
            else { continue }
            newest = row
        }
        return newest
    }

    /// What this collection and its relatives know of earlier versions of a row.
    ///
    /// - Parameters:
    ///   - row: The row as it is known now.
    ///   - id: The id that the caller has.
    /// - Returns: What is known.
    func past(of row: Row, askedForAs id: RowID) -> RowPast {
        var past = state.withLock { $0.core.past(of: row, askedForAs: id) }
        let (relatives, isOneEnding) = family.relatives(of: self)
        for relative in relatives {
            past.formUnion(relative.state.withLock { $0.core.past(of: row, askedForAs: id) })
        }
        past.isUnknown = past.isUnknown || isOneEnding
        return past
    }
}
