import Foundation
import RemoteData
import RemoteDataNetwork

/// Reads what a server of the native protocol answers; holds no network.
///
/// Every function throws `RemoteDataError`: what the server said when it refused, `invalidAnswer` or
/// `invalidRow` when its answer is not what the protocol promises.
struct AnswerReader: Sendable {
    let base: BaseURL
    let table: String
    let idColumn: String
    /// The current date, which a date in `Retry-After` is compared with.
    var now: @Sendable () -> Date = { Date() }

    /// How many rows match.
    func count(_ answer: HTTPResponse) throws(RemoteDataError) -> Count {
        Count(try integer(answer, "a count"), revision: tableRevision(answer))
    }

    /// A page of at most `limit` rows, those that cannot be read included.
    func page(_ answer: HTTPResponse, limit: Int) throws(RemoteDataError) -> Page {
        try check(answer, expecting: "a page of rows", opening: "[")
        let page: Page
        do throws(RemoteDataError) {
            page = try Page.parse(answer.body, idColumn: idColumn, revision: tableRevision(answer))
        } catch { throw self.error(answer, error.code, error.message) }
        let size = page.rows.count + page.failures.count
        guard size <= limit else {
            throw error(answer, .invalidAnswer, "The server sent \(size) rows where \(limit) were asked for.")
        }
        let endsEarly = answer.headers["Table-More"]?.lowercased() == "true"
        return Page(rows: page.rows, revision: page.revision, failures: page.failures, endsEarly: endsEarly)
    }

    /// One row; nil when the server says that there is none.
    func row(_ answer: HTTPResponse, id: RowID) throws(RemoteDataError) -> Row? {
        if answer.status == 404, let problem = ServerProblem(answer), !problem.isAboutPath { return nil }
        let row = try row(answer, "a row")
        // A number in a path may have found a text of the same digits.
        return row.id == id ? row : nil
    }

    /// What a mutation did.
    func outcome(_ answer: HTTPResponse, of mutation: Mutation) throws(RemoteDataError) -> Outcome {
        let revision = tableRevision(answer)
        switch mutation {
        case .create(let drafts) where drafts.count == 1, .upsert(let drafts) where drafts.count == 1:
            let row = try row(answer, "the row as stored")
            return Outcome(rows: [row], ids: [row.id], count: 1, revision: revision)
        case .create(let drafts), .upsert(let drafts):
            let ids = try ids(answer, count: drafts.count)
            return Outcome(
                rows: rows(drafts, ids, upTo: revision),
                ids: ids,
                count: ids.count,
                revision: revision
            )
        case .update(let id, _, _):
            let row = try row(answer, "the row as stored")
            guard row.id == id else {
                throw error(answer, .invalidAnswer, "The server answered with another row.")
            }
            return Outcome(rows: [row], ids: [id], count: 1, revision: revision)
        case .updateAll, .deleteAll:
            return Outcome(count: try integer(answer, "a number of rows"), revision: revision)
        case .delete(let id, _):
            try check(answer, expecting: "a deletion time", opening: "{")
            return Outcome(ids: [id], count: 1, revision: revision)
        }
    }

    /// A part of the change log.
    func changes(_ answer: HTTPResponse, limit: Int) throws(RemoteDataError) -> ChangeBatch {
        try check(answer, expecting: "changes", opening: "{")
        let members = try object(answer)
        guard let list = members["changes"], let elements = try? JSONObject.elements(of: list),
            let epoch = epoch(members["epoch"]),
            let revision = members["revision"].flatMap({ Revision(json: $0, epoch: epoch.value) }),
            case .bool(let isComplete)? = members["complete"].flatMap(Value.init(json:))
        else { throw error(answer, .invalidAnswer, "The server's answer is no list of changes.") }
        guard elements.count <= limit else {
            throw error(
                answer,
                .invalidAnswer,
                "The server sent \(elements.count) changes where \(limit) were asked for."
            )
        }
        var changes: [Change] = []
        changes.reserveCapacity(elements.count)
        var row = LikelyRow(idColumn: idColumn)
        for element in elements {
            guard let change = Change(json: element, &row, epoch.value) else {
                throw error(
                    answer,
                    .invalidAnswer,
                    "Change \(changes.count) of the server's answer cannot be read."
                )
            }
            changes.append(change)
        }
        return ChangeBatch(changes: changes, revision: revision, isComplete: isComplete)
    }

    /// What the server can do.
    func capabilities(_ answer: HTTPResponse) throws(RemoteDataError) -> Capabilities {
        try check(answer, expecting: "what it can do", opening: "{")
        let members = try object(answer)
        guard let list = members["capabilities"], let names = try? JSONObject.elements(of: list),
            case .integer(let size)? = members["maximumPageSize"].flatMap(Value.init(json:)), size > 0
        else { throw error(answer, .invalidAnswer, "The server does not say what it can do.") }
        let texts = names.compactMap { name -> String? in
            if case .text(let text)? = Value(json: name) { text } else { nil }
        }
        // One that does not say limits bulk writes by their bytes alone.
        guard case .integer(let rows)? = members["maximumBulkSize"].flatMap(Value.init(json:)), rows > 0
        else {
            return Capabilities(names: texts, maximumPageSize: Int(size))
        }
        return Capabilities(names: texts, maximumPageSize: Int(size), maximumBulkSize: Int(rows))
    }
}

// MARK: Parts of answers

extension AnswerReader {
    private func row(_ answer: HTTPResponse, _ what: String) throws(RemoteDataError) -> Row {
        try check(answer, expecting: what, opening: "{")
        let revision = answer.headers["ETag"].flatMap(Revision.init(etag:))
        do throws(RemoteDataError) {
            return try Row.parse(answer.body[...], idColumn: idColumn, revision: revision)
        } catch { throw self.error(answer, error.code, error.message) }
    }

    private func integer(_ answer: HTTPResponse, _ what: String) throws(RemoteDataError) -> Int {
        try check(answer, expecting: what, opening: nil)
        guard case .integer(let number)? = Value(json: answer.body[...]), number >= 0 else {
            throw error(answer, .invalidAnswer, "The server's answer is not \(what).")
        }
        return Int(number)
    }

    private func ids(_ answer: HTTPResponse, count: Int) throws(RemoteDataError) -> [RowID] {
        try check(answer, expecting: "a list of ids", opening: "[")
        let ids = try? JSONObject.elements(of: answer.body[...]).map { Value(json: $0).flatMap { RowID($0) } }
        guard let ids, ids.allSatisfy({ $0 != nil }) else {
            throw error(answer, .invalidAnswer, "The server's answer is not a list of ids.")
        }
        guard ids.count == count else {
            throw error(answer, .invalidAnswer, "The server answered with \(ids.count) ids to \(count) rows.")
        }
        return ids.compactMap(\.self)
    }

    /// The rows of a bulk write, which the server answers with ids alone.
    ///
    /// A server of the native protocol stores a row as it was sent, and the revisions of one request follow
    /// each other up to the table's. Without revisions it is another kind of server, which may have changed
    /// the rows.
    private func rows(_ drafts: [Draft], _ ids: [RowID], upTo revision: Revision?) -> [Row] {
        guard let revision else { return [] }
        let first = revision.rawValue - Int64(drafts.count - 1)
        return zip(drafts, ids).enumerated().map { index, pair in
            let revision = Revision(first + Int64(index), epoch: revision.epoch)
            return pair.0.row(id: pair.1, idColumn: idColumn, revision: revision)
        }
    }

    private func object(_ answer: HTTPResponse) throws(RemoteDataError) -> [String: ArraySlice<UInt8>] {
        let members: [JSONObject.Member]
        do throws(RemoteDataError) { members = try JSONObject.members(of: answer.body[...]) } catch {
            throw self.error(answer, .invalidAnswer, error.message)
        }
        return Dictionary(members.map { ($0.name, $0.json) }) { first, _ in first }
    }

    private func tableRevision(_ answer: HTTPResponse) -> Revision? {
        guard let number = answer.headers["Table-Revision"].flatMap({ Int64($0) }), number >= 0 else {
            return nil
        }
        return Revision(number, epoch: answer.headers["Table-Epoch"].flatMap { Epoch($0) })
    }

    /// The epoch of an answer, which may be none; nil where it cannot be read.
    private func epoch(_ json: ArraySlice<UInt8>?) -> (value: Epoch?, ())? {
        switch json.map({ Value(json: $0) }) {
        case nil, .null??: (nil, ())
        case .text(let text)??: Epoch(text).map { ($0, ()) }
        default: nil
        }
    }

    private func error(_ answer: HTTPResponse, _ code: RemoteDataError.Code, _ message: String)
        -> RemoteDataError
    {
        RemoteDataError(code, message, status: answer.status)
    }
}

// MARK: Refusals

extension AnswerReader {
    /// Throws unless the answer is a success that begins as the expected JSON does.
    ///
    /// - Parameters:
    ///   - answer: What came.
    ///   - what: What should have come, for the message.
    ///   - opening: The first character of the JSON that is expected, if it is one of a kind.
    /// - Throws: What the server said, or `invalidAnswer`.
    private func check(_ answer: HTTPResponse, expecting what: String, opening: Character?)
        throws(RemoteDataError)
    {
        guard answer.isSuccess else { throw refusal(answer) }
        guard let first = answer.body.first(where: { !" \n\r\t".utf8.contains($0) }) else {
            throw error(answer, .invalidAnswer, "The server's answer is empty where \(what) was expected.")
        }
        let start = Character(Unicode.Scalar(first))
        if start == "<" {
            throw error(
                answer,
                .invalidAnswer,
                "The answer is HTML where \(what) was expected; is \(base.text) the right server?"
            )
        }
        if start == "{", let problem = ServerProblem(answer), !holdsID(answer) {
            throw problem.error(answer, table: table, server: base.text, now: now())
        }
        guard opening == nil || opening == start else {
            throw error(answer, .invalidAnswer, "The server's answer is not \(what).")
        }
    }

    /// The error behind an answer that is no success.
    func refusal(_ answer: HTTPResponse) -> RemoteDataError {
        (ServerProblem(answer) ?? ServerProblem()).error(answer, table: table, server: base.text, now: now())
    }

    /// A row may have columns `code` and `message`.
    private func holdsID(_ answer: HTTPResponse) -> Bool {
        (try? Row.parse(answer.body[...], idColumn: idColumn)) != nil
    }
}
