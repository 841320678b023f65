import RemoteData

// The server's clock, and what is written by it.
extension SimulatedServer {
    /// What time the server has, in milliseconds since 1970.
    private var milliseconds: Int64 {
        let (seconds, attoseconds) = (scheduler.now + skew).components
        return 1_800_000_000_000 + seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// A write with the date of the change in the column of the table's stamp, where it has one.
    func stamped(_ mutation: Mutation) throws(RemoteDataError) -> Mutation {
        guard let stamp else { return mutation }
        let date = ScenarioValue.object([stamp: .integer(milliseconds)])
        func json(_ columns: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            (ScenarioValue(json: columns) ?? .object([:])).merging(date).json[...]
        }
        func drafts(_ drafts: [Draft]) throws(RemoteDataError) -> [Draft] {
            var stamped: [Draft] = []
            for draft in drafts { stamped.append(try Draft(json(draft.json), idColumn: table.idColumn)) }
            return stamped
        }
        switch mutation {
        case .create(let rows): return .create(try drafts(rows))
        case .upsert(let rows): return .upsert(try drafts(rows))
        case .update(let id, let columns, let revision):
            return .update(id, patch: json(columns), ifRevision: revision)
        case .updateAll(let filter, let columns): return .updateAll(filter, patch: json(columns))
        case .delete, .deleteAll: return mutation
        }
    }
}
