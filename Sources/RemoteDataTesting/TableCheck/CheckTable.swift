public import RemoteData
public import Testing

/// Checks that a table keeps the whole contract of `Table`, as far as its capabilities promise.
///
/// Each section works on a fresh table, so `make` is called many times and must return an empty table each
/// time, with text and integer ids both allowed. What fails is reported at the caller's line with the name of
/// the section.
///
/// - Parameters:
///   - logCapacity: How many changes the table's log holds, when that is few enough to be exceeded here; then
///     the checker also expects `gone` and `reset`.
///   - traits: What its rows can be like.
///   - sections: The parts to check; all unless said otherwise.
///   - sourceLocation: Where failures are reported.
///   - make: Makes an empty table.
public func checkTable(
    logCapacity: Int? = nil,
    traits: TableTraits = TableTraits(),
    sections: Set<TableSection> = Set(TableSection.allCases),
    sourceLocation: SourceLocation = #_sourceLocation,
    make: @escaping @Sendable () async throws -> any Table
) async {
    for section in TableSection.allCases where sections.contains(section) {
        let check = TableCheck(
            section: section,
            logCapacity: logCapacity,
            traits: traits,
            location: sourceLocation
        )
        do {
            try await check.run(make())
        } catch {
            Issue.record("\(section.rawValue): \(error)", sourceLocation: sourceLocation)
        }
    }
}

/// A part of ``checkTable(logCapacity:traits:sections:sourceLocation:make:)``.
public enum TableSection: String, CaseIterable, Sendable {
    /// Adding, replacing, changing and removing single rows.
    case writes
    /// Ids of text, integers and UUIDs.
    case ids
    /// Rows and patches that are none.
    case invalidRows
    /// Many rows at once, all or none.
    case bulkWrites
    /// Writes that depend on a row's revision.
    case conditionalWrites
    /// Changing and removing by clause.
    case filteredWrites
    /// Pages at offsets.
    case offsetPages
    /// Pages behind and in front of keys.
    case keysetPages
    /// Counting.
    case counts
    /// Columns the table never had.
    case unknownColumns
    /// Revisions that grow.
    case revisions
    /// The change log.
    case changeLog
    /// Subscriptions without a clause.
    case subscriptions
    /// Subscriptions with a clause.
    case membership
    /// Where removed rows stood.
    case deletions
    /// Subscriptions from an earlier revision.
    case resume
    /// Writes repeated with the same key.
    case idempotency
    /// Creations repeated with the same key.
    case idempotentCreation
    /// Many writers and a subscriber at once.
    case concurrency
}

/// One section being checked.
struct TableCheck: Sendable {
    let section: TableSection
    let logCapacity: Int?
    let traits: TableTraits
    let location: SourceLocation

    func run(_ table: any Table) async throws {
        let can = table.capabilities
        switch section {
        case .writes: try await writes(table)
        case .ids: try await ids(table)
        case .invalidRows: try await invalidRows(table)
        case .bulkWrites: if can.maximumBulkSize > 1 { try await bulkWrites(table) }
        case .conditionalWrites: if can.conditionalWrites { try await conditionalWrites(table) }
        case .filteredWrites: try await filteredWrites(table)
        case .offsetPages: try await offsetPages(table)
        case .keysetPages: if can.keysetPages { try await keysetPages(table) }
        case .counts: try await counts(table)
        case .unknownColumns: if can.checksColumns { try await unknownColumns(table) }
        case .revisions: if can.revisions { try await revisions(table) }
        case .changeLog: if can.resume { try await changeLog(table) }
        case .subscriptions: if can.liveChanges { try await subscriptions(table) }
        case .membership: if can.liveChanges { try await membership(table) }
        case .deletions: if can.liveChanges, can.locatesDeleted { try await deletions(table) }
        case .resume: if can.liveChanges, can.resume { try await resume(table) }
        case .idempotency: if can.idempotency { try await idempotency(table) }
        case .idempotentCreation: if can.idempotentCreation { try await idempotentCreation(table) }
        case .concurrency: try await concurrency(table)
        }
    }
}

extension TableCheck {
    /// An id the table takes.
    func id(_ word: String) -> RowID { traits.id(word) }

    /// Reports what is not so.
    func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) {
        guard !isTrue else { return }
        Issue.record("\(section.rawValue): not so: \(what())", sourceLocation: location)
    }

    func expect<T: Equatable>(_ found: T, is expected: T, _ what: @autoclosure () -> String) {
        guard found != expected else { return }
        Issue.record(
            "\(section.rawValue): \(what()): found \(found), expected \(expected)",
            sourceLocation: location
        )
    }

    /// Reports when `body` does not fail with a code.
    func expect<T>(
        _ code: RemoteDataError.Code,
        _ what: String,
        _ body: () async throws(RemoteDataError) -> T
    ) async {
        do throws(RemoteDataError) {
            _ = try await body()
            Issue.record("\(section.rawValue): \(what): no error, expected \(code)", sourceLocation: location)
        } catch {
            expect(error.code, is: code, what)
            expect(!error.message.isEmpty, "\(what): the error has a message")
        }
    }
}
