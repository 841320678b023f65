import Synchronization

/// The collections that were narrowed from one another: each can update elements that another gave out.
///
/// An update asks all of them for the versions that its element may have been made from. A collection that
/// ends leaves what it gave out to the oldest of them. It may end under the lock of that one, so this is done
/// a little later, elsewhere or by the next update.
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
    }

    private let state = Mutex(State())
    /// How often one has taken what others left; locked meanwhile, so that an update waits for that.
    private let passes = Mutex(0)

    func join(_ member: Member) {
        state.withLock { $0.entries.append(Entry(id: ObjectIdentifier(member), member: member)) }
    }

    /// The other members, and whether one of them is just ending: what it gave out is not known yet.
    func relatives(of member: Member) -> (members: [Member], isOneEnding: Bool) {
        passOn()
        let others = state.withLock { state in
            state.entries.filter { $0.id != ObjectIdentifier(member) }.map(\.member)
        }
        return (others.compactMap(\.self), others.contains { $0 == nil })
    }

    /// Called by a member that ends.
    ///
    /// - Parameters:
    ///   - id: Which.
    ///   - surroundings: Where the others take what it leaves.
    ///   - given: What it gave out; only asked for where there are others.
    func leave(
        _ id: ObjectIdentifier,
        _ surroundings: Surroundings,
        leaving given: () -> GivenVersions
    ) {
        let isLast = state.withLock { $0.entries.count == 1 }
        let given = isLast ? nil : given()
        state.withLock { state in
            state.entries.removeAll { $0.id == id }
            if let given { state.left.append(given) }
        }
        if given != nil { surroundings.start { self.passOn() } }
    }

    /// Has the oldest member take what others left.
    private func passOn() {
        let members = state.withLock { state in state.entries.map(\.member) }
        guard let heir = members.lazy.compactMap(\.self).first else { return }
        passes.withLock { passes in
            passes += 1
            let left = state.withLock { state in
                defer { state.left = [] }
                return state.left
            }
            for given in left { heir.noteGiven(given) }
        }
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
