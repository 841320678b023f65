public import RemoteData

// Holding rows under labels. A row stays here as long as a label holds it, with everything it leads to by the store's
// relations, and is kept up to date meanwhile.
extension LocalStore {
    // MARK: Rows

    /// Holds rows under a label, and everything they lead to.
    ///
    /// Rows that are not here are stored as they are given. Of those that are here, the version that came from a server or was
    /// written here stays, which may be newer. What they lead to and is not here is held as soon as it comes. Does not block
    /// and asks no server. Where there is access control, rows that may not be read are passed over, both those given and those
    /// here.
    ///
    /// - Parameters:
    ///   - rows: The rows; none is fine.
    ///   - table: The name of their table.
    ///   - label: The label.
    /// - Throws: `RemoteDataError` with code `storage`; then nothing is held that was not before.
    /// - Complexity: O(log n) for each row, and each it leads to, that was not held under the label before.
    public func pinAll(
        _ rows: [Row],
        in table: String,
        label: String = LocalStore.defaultLabel
    ) async throws(RemoteDataError) {
        guard !rows.isEmpty else { return }
        let access = try await rights()
        try await core.writer.change { (transaction) throws(RemoteDataError) in
            let rows = try transaction.keep(rows, in: table, access)
            try transaction.pin(rows.map(\.id), of: table, label: label)
        }
    }

    /// Holds rows by their ids: those that are here, and the others as soon as they come.
    ///
    /// Where there is access control, rows that are here and may not be read are passed over.
    /// - Throws: `RemoteDataError` with code `storage`.
    public func pinAll(
        _ ids: [RowID],
        in table: String,
        label: String = LocalStore.defaultLabel
    ) async throws(RemoteDataError) {
        guard !ids.isEmpty else { return }
        let access = try await rights()
        try await core.writer.change { (transaction) throws(RemoteDataError) in
            try transaction.pin(try transaction.pinnable(ids, of: table, access), of: table, label: label)
        }
    }

    /// The rights of who asks now; nil for all rights.
    func rights() async throws(RemoteDataError) -> RowAccess? {
        guard let access else { return nil }
        return try await access.rights(idColumn: idColumn)
    }

    /// Holds rows no longer under a label, nor what only they led to; rows it does not hold count for nothing.
    ///
    /// What no label holds any more goes, unless it was written here or read through a cache.
    /// - Throws: `RemoteDataError` with code `storage`.
    public func unpinAll(
        _ ids: [RowID],
        in table: String,
        label: String = LocalStore.defaultLabel
    ) async throws(RemoteDataError) {
        guard !ids.isEmpty else { return }
        try await core.writer.change { (transaction) throws(RemoteDataError) in
            try transaction.unpin(ids, of: table, label: label)
        }
    }

    // MARK: Elements

    /// Holds an element's row under a label, and everything it leads to, as `pinAll` of rows does.
    ///
    /// - Throws: `RemoteDataError`: `invalidRow` for an element without an id, `storage`.
    public func pin<Element: Codable & Identifiable & Sendable>(
        _ element: Element,
        in table: String,
        label: String = LocalStore.defaultLabel
    ) async throws(RemoteDataError) {
        try await pinAll([element], in: table, label: label)
    }

    /// Holds the rows of elements under a label, and everything they lead to.
    ///
    /// - Throws: `RemoteDataError`: `invalidRow` for an element without an id, `storage`.
    public func pinAll<Element: Codable & Identifiable & Sendable>(
        _ elements: some Collection<Element>,
        in table: String,
        label: String = LocalStore.defaultLabel
    ) async throws(RemoteDataError) {
        let codec = ElementCodec<Element>(idColumn: idColumn, dates: dates)
        var rows: [Row] = []
        for element in elements { rows.append(try codec.row(of: element)) }
        try await pinAll(rows, in: table, label: label)
    }

    /// Holds an element's row no longer under a label, as `unpinAll` of ids does.
    ///
    /// - Throws: `RemoteDataError`: `invalidRow` for an element without an id, `storage`.
    public func unpin<Element: Codable & Identifiable & Sendable>(
        _ element: Element,
        in table: String,
        label: String = LocalStore.defaultLabel
    ) async throws(RemoteDataError) {
        try await unpinAll([element], in: table, label: label)
    }

    /// Holds the rows of elements no longer under a label.
    ///
    /// - Throws: `RemoteDataError`: `invalidRow` for an element without an id, `storage`.
    public func unpinAll<Element: Codable & Identifiable & Sendable>(
        _ elements: some Collection<Element>,
        in table: String,
        label: String = LocalStore.defaultLabel
    ) async throws(RemoteDataError) {
        let codec = ElementCodec<Element>(idColumn: idColumn, dates: dates)
        var ids: [RowID] = []
        for element in elements { ids.append(try codec.row(of: element).id) }
        try await unpinAll(ids, in: table, label: label)
    }

    // MARK: Labels

    /// Holds nothing under a label any more.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    /// - Complexity: O(rows held under it).
    public func unpinAll(label: String) async throws(RemoteDataError) {
        try await core.writer.change { (transaction) throws(RemoteDataError) in
            try transaction.unpinAll(label: label)
        }
    }

    /// Holds nothing any more, under any label.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    public func unpinAll() async throws(RemoteDataError) {
        try await core.writer.change { (transaction) throws(RemoteDataError) in
            for name in transaction.catalog.labels.keys.sorted() { try transaction.unpinAll(label: name) }
        }
    }

    /// Holds nothing any more that was pinned without a label.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    public func unpinAllDefault() async throws(RemoteDataError) {
        try await unpinAll(label: Self.defaultLabel)
    }

    /// The labels that hold anything, sorted.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    public func labels() async throws(RemoteDataError) -> [String] {
        try await core.read { (connection) throws(RemoteDataError) in
            var names: [String] = []
            try connection.query(
                "SELECT name FROM labels WHERE EXISTS (SELECT 1 FROM pins WHERE label = number) ORDER BY name"
            ) { names.append($0.text(0)) }
            return names
        }
    }

    /// The labels that hold a row, here or not, sorted.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    public func labels(of id: RowID, in table: String) async throws(RemoteDataError) -> [String] {
        try await core.read { (connection) throws(RemoteDataError) in
            var names: [String] = []
            try connection.query(
                """
                SELECT labels.name FROM pins JOIN labels ON labels.number = label
                JOIN tables ON tables.number = tableNumber
                WHERE tables.name = ? AND id = ? ORDER BY labels.name
                """,
                [.text(table), Binding(id)]
            ) { names.append($0.text(0)) }
            return names
        }
    }
}

extension ElementCodec {
    /// The element as a row with an id.
    fileprivate func row(of element: Element) throws(RemoteDataError) -> Row {
        let draft = try encode(element)
        guard let id = draft.id else {
            throw RemoteDataError(
                .invalidRow,
                "\(Element.self) has no id, so that its row cannot be found again."
            )
        }
        return draft.row(id: id, idColumn: idColumn)
    }
}
