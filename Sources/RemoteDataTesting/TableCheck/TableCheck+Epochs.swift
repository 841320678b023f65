import RemoteData

// A revision names a state only together with its epoch.
extension TableCheck {
    /// Revisions of the same number that are of another history; none for a table whose revisions have no
    /// epochs.
    func foreign(_ revision: Revision?) -> [Revision] {
        guard let revision, let epoch = revision.epoch, revision.rawValue > 0 else { return [] }
        let other = Epoch(rawValue: ~epoch.rawValue) ?? Epoch(rawValue: 1)
        return [Revision(revision.rawValue, epoch: other), Revision(revision.rawValue)]
    }

    /// Expects a row to be neither changed nor removed on condition of a revision of another history.
    func refusesForeignConditions(_ id: RowID, at revision: Revision?, _ table: any Table) async throws {
        let before = try await table.row(id)
        for other in foreign(revision) {
            await expect(.conflict, "a patch of a revision of another epoch") { () throws(RemoteDataError) in
                try await table.commit(.update(id, patch: patch(#"{"number":7}"#), ifRevision: other))
            }
            await expect(.conflict, "a deletion of a revision of another epoch") {
                () throws(RemoteDataError) in
                try await table.commit(.delete(id, ifRevision: other))
            }
        }
        expect(try await table.row(id), is: before, "the row after conditions of another epoch")
    }

    /// Expects no changes since a revision of another history.
    func refusesForeignChanges(since revision: Revision, _ table: any Table) async {
        for other in foreign(revision) {
            await expect(.gone, "changes since a revision of another epoch") { () throws(RemoteDataError) in
                try await table.changes(since: other, limit: 10)
            }
        }
    }

    /// Expects a subscription from a revision of another history to begin anew, in that of the table.
    func resetsForeignSubscriptions(since revision: Revision, _ table: any Table) async throws {
        for (number, other) in foreign(revision).enumerated() {
            let reader = EventReader(try await table.subscribe(to: Query(), since: other))
            guard case .reset = try await reader.next(), case .live(let begin) = try await reader.next()
            else {
                expect(false, "a subscription from a revision of another epoch begins with reset and live")
                continue
            }
            expect(begin?.epoch, is: revision.epoch, "the epoch that it goes on in")
            let next = id("epoch\(number)")
            let outcome = try await create(next, #""number":1"#, in: table)
            let changes = try await reader.changes(upTo: outcome.revision, expecting: 1)
            expect(changes.map(\.id), is: [next], "what follows it")
            expect(changes.first?.revision, is: outcome.revision, "the revision of what follows it")
        }
    }
}
