import RemoteData

/// What a write's header asks for.
struct WriteOptions: Sendable, Equatable {
    /// The revision the row must have.
    let ifRevision: Revision?
    /// Whether there may be no row with its id yet.
    let isForNewRow: Bool
    /// The key under which a repeat is told from a new write.
    let idempotencyKey: String?

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - head: The header.
    ///   - caller: Who sent it, and has the revisions that it names.
    /// - Throws: ``HTTPRefusal`` for what cannot be read; passing over it would drop a safeguard.
    init(_ head: HTTPRequestHead, by caller: Caller = .everything) throws(HTTPRefusal) {
        ifRevision = try head["if-match"].flatMap { text throws(HTTPRefusal) in try Self.revision(text) }
            .map(caller.exchanged)
        isForNewRow = head["if-none-match"] != nil
        guard !isForNewRow || head["if-none-match"] == "*" else {
            throw .unreadable("If-None-Match of a write is *, for a row that is not there yet.")
        }
        idempotencyKey = head["idempotency-key"]
        if let idempotencyKey, !(1...200).contains(idempotencyKey.utf8.count) {
            throw .unreadable("The Idempotency-Key has 1 to 200 bytes.")
        }
    }

    private static func revision(_ text: String) throws(HTTPRefusal) -> Revision? {
        // "*" asks that there is a row, which every conditional write does anyway.
        if text == "*" { return nil }
        guard text.count > 2, text.first == "\"", text.last == "\"",
            let revision = Revision(tag: text.dropFirst().dropLast())
        else { throw .unreadable("If-Match is \"<revision>-<epoch>\", as in an ETag of this server.") }
        return revision
    }
}

extension HTTPRequest {
    /// The body as one row to be written.
    func draft(idColumn: String) throws(RemoteDataError) -> Draft { try Draft(body, idColumn: idColumn) }

    /// Which rows the body has removed; nil for all of them, which takes an object without a clause.
    func deletionClause() throws -> Where? {
        guard !body.isEmpty else {
            throw HTTPRefusal.unreadable("The body has to say which rows are removed; {} stands for all.")
        }
        return try Parameters(body: body, known: ["where"]).clause(isRead: false)
    }

    /// The body as rows to be written.
    ///
    /// - Throws: `RemoteDataError` with code `invalidRow` that says which row is wrong.
    func drafts(idColumn: String) throws(RemoteDataError) -> [Draft] {
        let elements = try JSONObject.elements(of: body)
        var drafts: [Draft] = []
        drafts.reserveCapacity(elements.count)
        for element in elements {
            do throws(RemoteDataError) {
                try JSONObject.checkInterchange(element)
                drafts.append(try Draft(element, idColumn: idColumn))
            } catch {
                throw RemoteDataError(.invalidRow, "Row \(drafts.count), counted from 0: \(error.message)")
            }
        }
        return drafts
    }

    /// The body as members to be put into rows.
    func patch() throws(RemoteDataError) -> ArraySlice<UInt8> {
        try JSONObject.check(body)
        try JSONObject.checkInterchange(body)
        return body
    }
}
