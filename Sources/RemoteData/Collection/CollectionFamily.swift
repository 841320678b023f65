import Synchronization

/// The collections that were narrowed from one another: each can update elements that another gave out.
///
/// An update asks all of them for the versions that its element may have been made from. What a collection
/// knows that ends is left to another one. That may happen under the lock of the other, which is taken later:
/// by the next update, or when another collection is narrowed.
final class CollectionFamily<Element: Codable & Identifiable & Sendable>: Sendable {
    typealias Member = RemoteDataCollection<Element>

    private struct Entry: Sendable {
        let id: ObjectIdentifier
        weak var member: Member?
    }

    private struct State {
        /// The members, the oldest first.
        var entries: [Entry] = []
        /// What those gave out that have ended, until another one takes it.
        var left: [GivenVersions] = []
        /// How many threads give that to another one.
        var givers = 0
    }

    private let state = Mutex(State())

    func join(_ member: Member) {
        state.withLock { $0.entries.append(Entry(id: ObjectIdentifier(member), member: member)) }
        passOn()
    }

    /// The other members, and whether one of them is just ending: what it gave out is not known yet.
    func relatives(of member: Member) -> (members: [Member], isOneEnding: Bool) {
        passOn()
        let (others, isGiven) = state.withLock { state in
            let others = state.entries.filter { $0.id != ObjectIdentifier(member) }.map(\.member)
            return (others, state.givers == 0 && state.left.isEmpty)
        }
        return (others.compactMap(\.self), !isGiven || others.contains { $0 == nil })
    }

    /// Called by a member that ends.
    ///
    /// - Parameters:
    ///   - id: Which.
    ///   - given: What it gave out; only asked for where there are others.
    func leave(_ id: ObjectIdentifier, leaving given: () -> GivenVersions) {
        let isLast = state.withLock { $0.entries.count == 1 }
        let given = isLast ? nil : given()
        state.withLock { state in
            state.entries.removeAll { $0.id == id }
            if let given { state.left.append(given) }
        }
    }

    /// Has the oldest member take what others left.
    private func passOn() {
        let (left, members) = state.withLock { state in
            guard !state.left.isEmpty else { return ([GivenVersions](), [Member?]()) }
            state.givers += 1
            defer { state.left = [] }
            return (state.left, state.entries.map(\.member))
        }
        guard !left.isEmpty else { return }
        if let heir = members.lazy.compactMap(\.self).first {
            for given in left { heir.noteGiven(given) }
        }
        state.withLock { $0.givers -= 1 }
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
