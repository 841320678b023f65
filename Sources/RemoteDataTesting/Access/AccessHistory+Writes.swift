import RemoteData

extension AccessHistory {
    /// A write to be made.
    struct PlannedWrite {
        enum Kind: CaseIterable { case create, upsert, update, delete, updateAll, deleteAll }

        var kind: Kind
        var id: RowID
        var n: Int
        /// The JSON of the ACL; nil for none.
        var acl: String?
        /// The least `n` of the rows of a write by clause.
        var least: Int?
        var ifRevision: Revision?

        var words: String {
            "\(kind) \(id) n \(n) acl \(acl ?? "none") from \(least.map(String.init) ?? "all")"
        }
    }

    private static let acls = [
        "null", "{}", #"{"*":{"read":true}}"#, #"{"*":{"read":true,"write":true}}"#,
        #"{"ann":{"read":true,"write":true}}"#,
        #"{"bob":{"read":true,"write":true},"ann":{"read":true}}"#,
        #"{"role:editors":{"read":true,"write":true}}"#,
        #"{"*":{"read":true},"role:editors":{"write":true}}"#,
        #"{"ann":{"write":true},"bob":{"read":false}}"#,
        #"{"o'br\"ien.*.x":{"read":true,"write":true}}"#,
        #"{"role:o.k. \"r\"":{"read":true},"\u0062ob":{"read":true}}"#,
    ]
    private static let oddACLs = [
        "1", "true", #""*""#, "[]", #"[{"*":{"read":true}}]"#, #"{"*":true}"#, #"{"*":{"read":"true"}}"#,
        #"{"*":{"read":1}}"#,
        #"{"*":{"read":{"a":true}}}"#, #"{"ann":null,"bob":{"read":true,"write":"yes"}}"#,
        #"{"role:":{"read":true}}"#,
    ]

    mutating func plan(_ writer: Int?) -> PlannedWrite {
        var write = PlannedWrite(
            kind: generator.pick(PlannedWrite.Kind.allCases + [.create, .update, .update]),
            id: .text("id\(generator.number(0..<14))"),
            n: generator.number(0..<7)
        )
        if write.kind == .deleteAll, generator.chance(2) { write.kind = .update }
        if generator.chance(2) { write.acl = generator.pick(Self.acls + (writer == nil ? Self.oddACLs : [])) }
        if !generator.chance(4) { write.least = generator.number(0..<7) }
        if generator.chance(5), tables[0].capabilities.conditionalWrites {
            write.ifRevision =
                generator.chance(2) ? oracle.rows[write.id]?.revision : revision
        }
        return write
    }

    /// Makes a write, and compares what is answered with what is right.
    mutating func make(_ write: PlannedWrite, _ writer: Int?, key: String?) async throws -> [String] {
        let table = writer.map { tables[$0] } ?? base
        let before = writer.map { oracle.visible(to: users[$0], from: nil) } ?? Set(oracle.rows.keys)
        let expected = refusal(of: write, writer.map { users[$0] })
        let mutation = try mutation(write)
        let outcome: Outcome
        do throws(RemoteDataError) {
            outcome = try await table.commit(mutation, idempotencyKey: key)
        } catch {
            var faults =
                error.code == expected ? [] : ["\(error), expected \(expected.map(\.description) ?? "none")"]
            if writer != nil { faults += Self.leaks(error.message, knowing: before.union([write.id])) }
            if writer != nil, error.code == .notFound,
                error.message != "There is no row with the id \(write.id)."
            {
                faults.append("another message: \(error.message)")
            }
            return faults
        }
        if let expected { return ["no error, expected \(expected)"] }
        let count = try await took(write, writer)
        var faults = outcome.count == count ? [] : ["\(outcome.count) rows written, expected \(count)"]
        revision = max(revision, outcome.revision ?? revision)
        guard let key, let writer else { return faults }
        for (user, table) in zip(users, tables) where user != users[writer] {
            faults += try await foreign(key, of: user, table)
        }
        return faults
            + (try await table.commit(mutation, idempotencyKey: key) == outcome ? [] : ["another answer"])
    }

    /// Somebody else writes with the same key: nothing of the other write is answered.
    private func foreign(_ key: String, of user: AccessUser, _ table: any Table) async throws -> [String] {
        do throws(RemoteDataError) {
            let outcome = try await table.commit(.delete("id none"), idempotencyKey: key)
            return ["\(user) got the answer \(outcome.ids) of somebody else"]
        } catch { return error.code == .notFound ? [] : ["\(user): \(error)"] }
    }

    private func refusal(of write: PlannedWrite, _ user: AccessUser?) -> RemoteDataError.Code? {
        let isThere = oracle.rows[write.id] != nil
        let (mayRead, mayWrite) =
            user.map { (oracle.mayRead($0, write.id), oracle.mayWrite($0, write.id)) } ?? (isThere, isThere)
        switch write.kind {
        case .create: return isThere ? .alreadyExists : nil
        case .upsert: return isThere && !mayWrite ? .forbidden : nil
        case .update, .delete:
            guard mayRead else { return .notFound }
            guard mayWrite else { return .forbidden }
            return write.ifRevision == nil || write.ifRevision == oracle.rows[write.id]?.revision
                ? nil : .conflict
        case .updateAll, .deleteAll: return nil
        }
    }

    private func mutation(_ write: PlannedWrite) throws -> Mutation {
        let tag = #""n":\#(write.n),"tag":"tag\#(lastTag)""# + (write.acl.map { #","ACL":\#($0)"# } ?? "")
        let patch = Array("{\(tag)}".utf8)[...]
        let filter = write.least.map { Self.filter($0) }
        func draft() throws -> Draft {
            try Draft(
                Array(#"{"\#(base.idColumn)":"\#(write.id)",\#(tag)}"#.utf8)[...],
                idColumn: base.idColumn
            )
        }
        return switch write.kind {
        case .create: .create([try draft()])
        case .upsert: .upsert([try draft()])
        case .update: .update(write.id, patch: patch, ifRevision: write.ifRevision)
        case .delete: .delete(write.id, ifRevision: write.ifRevision)
        case .updateAll: .updateAll(filter, patch: patch)
        case .deleteAll: .deleteAll(filter)
        }
    }

    /// Takes note of a write that was made: how many rows it concerned.
    private mutating func took(_ write: PlannedWrite, _ writer: Int?) async throws -> Int {
        let user = writer.map { users[$0] }
        var concerned: Set<RowID> = [write.id]
        if write.kind == .updateAll || write.kind == .deleteAll {
            concerned = oracle.writable(by: user, from: write.least)
        }
        for id in concerned {
            guard write.kind != .delete, write.kind != .deleteAll else {
                oracle.rows[id] = nil
                continue
            }
            oracle.rows[id] = AccessOracle.Entry(
                n: write.n,
                tag: "tag\(lastTag)",
                acl: acl(of: write, writer, replacing: oracle.rows[id]),
                revision: try await base.row(id)?.revision
            )
        }
        return concerned.count
    }

    /// The ACL that a row has after a write.
    private func acl(of write: PlannedWrite, _ writer: Int?, replacing before: AccessOracle.Entry?) -> String?
    {
        let isReplacement = write.kind == .upsert || write.kind == .create
        guard let writer else { return write.acl ?? (isReplacement ? nil : before?.acl) }
        if !isReplacement { return write.acl ?? before?.acl }
        if let acl = write.acl, acl != "null" { return acl }
        if let before { return before.acl }
        return switch writer {
        case 0: #"{"ann":{"read":true,"write":true}}"#
        case 1: #"{"*":{"read":true},"bob":{"read":true,"write":true}}"#
        default: nil
        }
    }
}
