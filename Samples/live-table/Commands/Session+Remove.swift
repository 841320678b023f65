import RemoteData

extension Session {
    /// Removes rows by their ids, and prints how many.
    func remove() async throws(Failure) {
        let rows = try await rows()
        var removed = 0
        var missing: [String] = []
        for word in arguments.operands {
            let isRemoved = try await request { () async throws(RemoteDataError) in
                for id in RowID.candidates(word) where try await rows.remove(LiveRow(id: id)) { return true }
                return false
            }
            if isRemoved { removed += 1 } else { missing.append(word) }
        }
        if removed > 0 || missing.isEmpty {
            try Output.write("removed \(removed.grouped) \(removed == 1 ? "row" : "rows")\n")
        }
        guard !missing.isEmpty else { return }
        let clause = arguments.clause.isEmpty ? "" : " that matches --where"
        throw Failure(
            "There is no row \(missing.joined(separator: ", no row ")) in \(arguments.address.table)\(clause)."
        )
    }
}
