import Synchronization

// Whether what is here is what the table has.
extension RemoteDataCollection {
    /// Compares a sample of the loaded rows with the table, and changes nothing.
    ///
    /// Pages of loaded rows are chosen at random, read again, and compared as of one revision: where the table tells revisions
    /// and changes are followed, what changes meanwhile is no drift, and a page that is newer than the changes that have come
    /// waits for them, for two seconds at most. Rows held at a position, and those that are first behind a gap, are
    /// not compared. Where a collection follows no changes the drift is how outdated it is.
    ///
    /// Does not block. One request for each page of the sample.
    ///
    /// - Parameters:
    ///   - sample: How many rows to compare at least, as far as so many are loaded.
    ///   - seed: The same number chooses the same pages of the same rows; nil for other ones each time.
    /// - Returns: What differs.
    /// - Throws: ``RemoteDataError`` when the table cannot be asked.
    public func audit(sample: Int = 1_000, seed: UInt64? = nil) async throws(RemoteDataError) -> Audit {
        var random = AuditChoice(state: seed ?? .random(in: .min ... .max))
        var record = AuditRecord()
        try await waitForRepair()
        let size = options.pageSize
        let loaded = state.withLock { $0.core.index.loadedCount }
        for start in stride(from: 0, to: loaded, by: size).shuffled(using: &random) {
            var rank = start
            while rank < start + size, record.compared.count < sample,
                let probe = state.withLock({ $0.core.probe(from: rank, limit: start + size - rank) })
            {
                rank += Swift.max(1, probe.size)
                try await compare(probe, sample, into: &record)
            }
        }
        return record.audit
    }

    /// Compares a sample of the loaded rows with the table, and changes nothing; blocks until it is done.
    ///
    /// - Parameters:
    ///   - sample: How many rows to compare at least, as far as so many are loaded.
    ///   - seed: The same number chooses the same pages of the same rows; nil for other ones each time.
    /// - Returns: What differs.
    /// - Throws: ``RemoteDataError`` when the table cannot be asked, or it all takes longer than the deadline.
    public func audit(sample: Int = 1_000, seed: UInt64? = nil) throws(RemoteDataError) -> Audit {
        try blocking { () async throws(RemoteDataError) in
            try await self.audit(sample: sample, seed: seed)
        }
    }

    private func compare(
        _ probe: CollectionState.Probe,
        _ sample: Int,
        into record: inout AuditRecord
    ) async throws(RemoteDataError) {
        defer {
            state.withLock { $0.core.endWatch(probe.fetch.id) }
            // A page may have shown that everything has to be compared.
            scheduleDelivery()
        }
        var next = probe.isEmpty ? nil : probe
        while let probe = next {
            let page = try await page(probe.fetch.request)
            // What does not come in time once is not waited for again.
            if record.isSettled, state.withLock({ $0.core.expectsChanges }) { await reach(page.revision) }
            (record, next) = try state.withLock { [record] state throws(RemoteDataError) in
                var record = record
                let rest = try state.core.compare(page, with: probe, into: &record)
                return (record, rest)
            }
            // What the table has in between may be without end.
            if record.compared.count >= sample { return }
        }
    }
}

/// Random numbers from a seed (SplitMix64; Steele, Lea and Flood 2014).
private struct AuditChoice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
