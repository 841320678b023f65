import RemoteData

extension TableCheck {
    func subscriptions(_ table: any Table) async throws {
        let start = try await create("0", in: table).revision
        let first = EventReader(try await table.subscribe(to: Query(), since: nil))
        let second = EventReader(try await table.subscribe(to: Query(), since: nil))
        for reader in [first, second] {
            guard case .live(let revision) = try await reader.next() else {
                return expect(false, "a feed begins with live")
            }
            if let start, let revision { expect(revision >= start, "live tells a revision of the table") }
        }
        let (last, sights) = try await history(table)
        let upTo = table.capabilities.revisions ? last : nil
        for reader in [first, second] {
            let changes = try await reader.changes(upTo: upTo, expecting: sights.count)
            expect(changes, are: sights, after: start, "the changes a subscription gets")
        }
        let late = EventReader(try await table.subscribe(to: Query(), since: nil))
        _ = try await late.live()
        let outcome = try await create("late", #""number":9"#, in: table)
        let seen = try await late.changes(upTo: outcome.revision, expecting: 1)
        expect(seen, are: [.created("late", 9)], after: last, "the changes a later subscription gets")
    }

    func membership(_ table: any Table) async throws {
        let start = try await create("0", #""number":0,"name":"x""#, in: table).revision
        let isLarge = Where.comparison(.column("number"), .greaterOrEqual, .literal(10))
        let sort = [SortTerm("number", ascending: false)]
        let reader = EventReader(try await table.subscribe(to: Query(isLarge, sort: sort), since: nil))
        _ = try await reader.live()
        try await create("a", #""number":1"#, in: table)
        _ = try await table.commit(.update("a", patch: patch(#"{"number":10}"#)))
        _ = try await table.commit(.update("a", patch: patch(#"{"number":20}"#)))
        _ = try await table.commit(.update("0", patch: patch(#"{"name":"y"}"#)))
        try await create("b", #""number":30"#, in: table)
        _ = try await table.commit(.upsert([draft("a", #""number":5"#, in: table)]))
        var last = try await table.commit(.delete("b")).revision
        var sights: [Sight] = [
            .created("a", 10), .updated("a", 20), .created("b", 30), .left("a"), .deleted("b"),
        ]
        if !table.capabilities.reportsLeaving { sights.removeAll(where: \.left) }
        let changes = try await reader.changes(upTo: last, expecting: sights.count)
        expect(changes, are: sights, after: start, "what a clause lets through")
        let previous = changes.filter { $0.kind != .created }.map(\.previousKey)
        if table.capabilities.reportsLeaving, previous.contains(where: { $0 != nil }) {
            let keys = [Key(values: [10], id: "a"), Key(values: [20], id: "a"), Key(values: [30], id: "b")]
            expect(previous, is: keys, "where the rows stood before")
        }
        if table.capabilities.revisions {
            last = try await table.commit(.update("0", patch: patch(#"{"name":"z"}"#))).revision
            let none = try await reader.changes(upTo: last, expecting: 0)
            expect(none, are: [], after: nil, "changes that do not concern the clause, told as progress")
        }
        if table.capabilities.filteredWrites { try await bulkMembership(table, reader) }
    }

    /// Rows removed by clause, of which only some belong to the subscription.
    private func bulkMembership(_ table: any Table, _ reader: EventReader) async throws {
        let numbers = [8, 9, 10, 11, 12]
        let drafts = try numbers.map { try draft(.text("n\($0)"), "\"number\":\($0)", in: table) }
        _ = try await table.commit(.create(drafts))
        let predicate = Where.comparison(.column("number"), .less, .literal(12))
        let removed = try await table.commit(.deleteAll(predicate))
        expect(removed.count, is: 6, "rows removed")
        let changes = try await reader.changes(upTo: removed.revision, expecting: 4)
        let created: [Sight] = [.created("n10", 10), .created("n11", 11), .created("n12", 12)]
        expect(Array(changes.prefix(3)), are: created, after: nil, "rows that enter in bulk")
        expect(changes.count, is: 4, "events of a bulk of five and a removal by clause")
        guard let bulk = changes.last else { return }
        expect(bulk.kind, is: .bulkDeleted, "a removal by clause")
        expect(bulk.predicate, is: predicate, "its clause")
        expect(bulk.count ?? 2, is: 2, "how many of the subscription's rows it removed")
        let all = try await table.commit(.deleteAll(nil))
        let last = try await reader.changes(upTo: all.revision, expecting: 1)
        expect(last.map(\.kind), is: [.bulkDeleted], "a removal of all rows")
        expect(last.first?.predicate, is: nil, "its clause")
    }

    func resume(_ table: any Table) async throws {
        let start = try await create("0", #""number":0"#, in: table).revision ?? .zero
        let (_, sights) = try await history(table)
        let reader = EventReader(try await table.subscribe(to: Query(), since: start))
        _ = try await reader.live()
        let outcome = try await create("after", #""number":7"#, in: table)
        let changes = try await reader.changes(upTo: outcome.revision, expecting: sights.count + 1)
        expect(
            changes,
            are: sights + [.created("after", 7)],
            after: start,
            "what a resumed subscription gets"
        )

        let isFour = Where.comparison(.column("number"), .equal, .literal(4))
        let part = EventReader(try await table.subscribe(to: Query(isFour), since: start))
        _ = try await part.live()
        let entering = try await part.changes(upTo: outcome.revision, expecting: 2)
        expect(entering.first?.id, is: "b", "what enters a resumed subscription with a clause")
        expect(entering.first?.kind, is: .created, "how it enters")

        let future = EventReader(try await table.subscribe(to: Query(), since: Revision(.max)))
        expect(try await future.isReset(), "a subscription from a revision not given yet is reset")
        guard let logCapacity else { return }
        for number in 0...logCapacity { try await create(.text("n\(number)"), in: table) }
        let old = EventReader(try await table.subscribe(to: Query(), since: start))
        expect(try await old.isReset(), "a subscription from before the log is reset")
        let next = try await create("next", #""number":8"#, in: table)
        let after = try await old.changes(upTo: next.revision, expecting: 1)
        expect(after, are: [.created("next", 8)], after: nil, "what follows a reset")
    }

    func concurrency(_ table: any Table) async throws {
        let (writers, writes) = (8, 25)
        let canListen = table.capabilities.liveChanges
        let reader = canListen ? EventReader(try await table.subscribe(to: Query(), since: nil)) : nil
        _ = try await reader?.live()
        let last = try await withThrowingTaskGroup(of: Revision?.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var last: Revision?
                    for write in 0..<writes {
                        last = try await create(.text("\(writer)-\(write)"), "\"number\":\(write)", in: table)
                            .revision
                        _ = try await table.page(PageRequest(Query(), limit: 10))
                    }
                    return last
                }
            }
            return try await group.reduce(nil as Revision?) { [$0, $1].compactMap(\.self).max() }
        }
        expect(try await table.count(nil).value, is: writers * writes, "rows of \(writers) writers")
        guard let reader else { return }
        let changes = try await reader.changes(upTo: last, expecting: writers * writes)
        expect(changes.count, is: writers * writes, "events of \(writers) writers")
        expect(Set(changes.compactMap(\.id)).count, is: writers * writes, "different rows in them")
        let revisions = changes.compactMap(\.revision)
        expect(
            zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 },
            "events come in order of revision"
        )
    }
}
