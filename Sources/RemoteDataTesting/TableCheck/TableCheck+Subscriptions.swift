import RemoteData

extension TableCheck {
    func subscriptions(_ table: any Table) async throws {
        let start = try await create(id("0"), in: table).revision
        let first = EventReader(try await table.subscribe(to: Query(), since: nil))
        let second = EventReader(try await table.subscribe(to: Query(), since: nil))
        for reader in [first, second] {
            guard case .live(let revision) = try await reader.next() else {
                return expect(false, "a feed begins with live")
            }
            if let start, let revision { expect(revision >= start, "live tells a revision of the table") }
        }
        let (last, sights) = try await history(table)
        for reader in [first, second] {
            try await expect(
                reader,
                tells: sights,
                of: table,
                after: start,
                upTo: last,
                "the changes of a subscription"
            )
        }
        let late = EventReader(try await table.subscribe(to: Query(), since: nil))
        _ = try await late.live()
        let outcome = try await create(id("late"), #""number":9"#, in: table)
        let sight = Sight.created(id("late"), 9)
        try await expect(
            late,
            tells: [sight],
            of: table,
            after: last,
            upTo: outcome.revision,
            isLate: true,
            "the changes of a later subscription"
        )
    }

    func membership(_ table: any Table) async throws {
        let start = try await create(id("0"), #""number":0,"name":"x""#, in: table).revision
        let isLarge = Where.comparison(.column("number"), .greaterOrEqual, .literal(10))
        let sort = [SortTerm("number", ascending: false)]
        let reader = EventReader(try await table.subscribe(to: Query(isLarge, sort: sort), since: nil))
        _ = try await reader.live()
        try await create(id("a"), #""number":1"#, in: table)
        _ = try await table.commit(.update(id("a"), patch: patch(#"{"number":10}"#)))
        _ = try await table.commit(.update(id("a"), patch: patch(#"{"number":20}"#)))
        _ = try await table.commit(.update(id("0"), patch: patch(#"{"name":"y"}"#)))
        try await create(id("b"), #""number":30"#, in: table)
        _ = try await table.commit(.upsert([draft(id("a"), #""number":5"#, in: table)]))
        let last = try await table.commit(.delete(id("b"))).revision
        let can = table.capabilities
        var sights: [Sight] = [
            can.reportsEntering ? .created(id("a"), 10) : .updated(id("a"), 10), .updated(id("a"), 20),
            .left(id("0")),
            .created(id("b"), 30), .left(id("a")), .deleted(id("b")),
        ]
        if can.reportsEntering { sights.removeAll { $0 == .left(id("0")) } }
        if !can.reportsLeaving { sights.removeAll(where: \.left) }
        guard can.everyChange else {
            return try await expect(
                reader,
                tells: sights,
                of: table,
                after: start,
                upTo: last,
                "the rows of a clause"
            )
        }
        let changes = try await reader.changes(upTo: can.revisions ? last : nil, expecting: sights.count)
        expect(changes, are: sights, after: start, "what a clause lets through")
        let previous = changes.filter { $0.kind != .created }.map(\.previousKey)
        if can.reportsLeaving, can.reportsEntering, previous.contains(where: { $0 != nil }) {
            let keys = [(10, "a"), (20, "a"), (30, "b")].map { Key(values: [$0], id: id($1)) }
            expect(previous, is: keys, "where the rows stood before")
        }
        if can.revisions {
            let last = try await table.commit(.update(id("0"), patch: patch(#"{"name":"z"}"#))).revision
            let none = try await reader.changes(upTo: last, expecting: 0)
            expect(
                none,
                are: can.reportsEntering ? [] : [.left(id("0"))],
                after: nil,
                "changes outside the clause"
            )
        }
        if can.filteredDeletes { try await bulkMembership(table, reader) }
    }

    func deletions(_ table: any Table) async throws {
        try await create(id("a"), #""number":1"#, in: table)
        let reader = EventReader(try await table.subscribe(to: Query(sort: [SortTerm("number")]), since: nil))
        _ = try await reader.live()
        _ = try await table.commit(.delete(id("a")))
        let change = try await reader.changes { !$0.isEmpty }.first
        expect(change?.kind, is: .deleted, "the change of a removed row")
        expect(change?.previousKey, is: Key(values: [1], id: id("a")), "where the removed row stood")
    }

    /// Rows removed by clause, of which only some belong to the subscription.
    private func bulkMembership(_ table: any Table, _ reader: EventReader) async throws {
        let numbers = [8, 9, 10, 11, 12]
        let drafts = try numbers.map { try draft(id("n\($0)"), "\"number\":\($0)", in: table) }
        _ = try await table.commit(.create(drafts))
        let predicate = Where.comparison(.column("number"), .less, .literal(12))
        let removed = try await table.commit(.deleteAll(predicate))
        expect(removed.count, is: 6, "rows removed")
        let changes = try await reader.changes(upTo: removed.revision, expecting: 4)
        let created: [Sight] = [.created(id("n10"), 10), .created(id("n11"), 11), .created(id("n12"), 12)]
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
        let start = try await create(id("0"), #""number":0"#, in: table).revision ?? .zero
        let (_, sights) = try await history(table)
        let reader = EventReader(try await table.subscribe(to: Query(), since: start))
        _ = try await reader.live()
        let outcome = try await create(id("after"), #""number":7"#, in: table)
        try await expect(
            reader,
            tells: sights + [.created(id("after"), 7)],
            of: table,
            after: start,
            upTo: outcome.revision,
            "what a resumed subscription gets"
        )

        let isFour = Where.comparison(.column("number"), .equal, .literal(4))
        let part = EventReader(try await table.subscribe(to: Query(isFour), since: start))
        _ = try await part.live()
        let can = table.capabilities
        let changes = try await part.changes(upTo: outcome.revision, expecting: 2)
        // Without that, whatever does not match is said to have left.
        let entering = changes.first { can.reportsEntering || $0.kind != .deleted }
        expect(entering?.id, is: id("b"), "what enters a resumed subscription with a clause")
        expect(entering?.kind, is: can.reportsEntering ? .created : .updated, "how it enters")

        let last = Revision(.max, epoch: start.epoch)
        let future = EventReader(try await table.subscribe(to: Query(), since: last))
        expect(try await future.isReset(), "a subscription from a revision not given yet is reset")
        try await resetsForeignSubscriptions(since: start, table)
        guard let logCapacity else { return }
        for number in 0...logCapacity { try await create(id("n\(number)"), in: table) }
        let old = EventReader(try await table.subscribe(to: Query(), since: start))
        expect(try await old.isReset(), "a subscription from before the log is reset")
        let next = try await create(id("next"), #""number":8"#, in: table)
        let sight = Sight.created(id("next"), 8)
        try await expect(
            old,
            tells: [sight],
            of: table,
            after: nil,
            upTo: next.revision,
            "what follows a reset"
        )
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
                        last = try await create(id("\(writer)-\(write)"), "\"number\":\(write)", in: table)
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
