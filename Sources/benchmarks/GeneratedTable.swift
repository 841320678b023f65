import RemoteData
import Synchronization

/// A table of any number of people, each made when it is asked for, in the order of their numbers.
///
/// It can be read by position and by key, and tells the changes it is given to tell; nothing can be written to it.
final class GeneratedTable: Table {
    let name = "people"
    let idColumn = "objectId"
    let dates = DateConvention.epochMilliseconds
    let capabilities: Capabilities
    private let rows: Int
    private let feed = Mutex<ChangeFeed?>(nil)
    private let answered = Mutex<Answer?>(nil)

    /// When a page was ready, and what processor time the program had taken by then.
    struct Answer {
        let time = ContinuousClock.now
        let processor = ProcessorTime.seconds
    }

    private let made: [Row]
    private let pages = Mutex(0)

    /// - Parameters:
    ///   - rows: How many there are.
    ///   - isLive: Whether the table tells changes.
    ///   - areMade: Whether they are made beforehand.
    init(rows: Int, isLive: Bool = false, areMade: Bool = false) {
        self.rows = rows
        made = areMade ? (0..<rows).map { Person($0).row } : []
        var capabilities = Capabilities()
        capabilities.keysetPages = true
        capabilities.binaryOrder = true
        capabilities.revisions = true
        capabilities.liveChanges = isLive
        capabilities.resume = isLive
        capabilities.reportsLeaving = true
        capabilities.maximumPageSize = 1_000
        self.capabilities = capabilities
    }

    /// How many pages have been asked for.
    var pageCount: Int { pages.withLock { $0 } }

    /// The last page.
    var lastAnswer: Answer? { answered.withLock { $0 } }

    /// Tells events, at once, to whoever listens.
    func tell(_ events: [ChangeEvent]) { feed.withLock { $0 }?.send(contentsOf: events) }

    func count(_ query: Query) async throws(RemoteDataError) -> Count { Count(rows, revision: Revision(1)) }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        var first = 0
        switch request.start {
        case .offset(let offset): first = offset
        case .after(let key): if case .text(let id) = key.id { first = Person.number(of: id) + 1 }
        case .beyond(let key, let offset):
            if case .text(let id) = key.id { first = Person.number(of: id) + 1 + offset }
        case .before: break
        }
        let numbers = min(first, rows)..<min(first + request.limit, rows)
        pages.withLock { $0 += 1 }
        let rows = made.isEmpty ? numbers.map { Person($0).row } : Array(made[numbers])
        let page = Page(rows: rows, revision: Revision(1))
        answered.withLock { $0 = Answer() }
        return page
    }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? { nil }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        throw RemoteDataError(.rejected, "Nothing can be written to \(name).")
    }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        throw RemoteDataError(.gone, "The changes of \(name) are not kept.")
    }

    func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed {
        let feed = ChangeFeed(capacity: 1_000_000)
        feed.send(.live(Revision(1)))
        self.feed.withLock { $0 = feed }
        return feed
    }
}

extension Person {
    /// The person as a table has it.
    var row: Row {
        let city = city.map { "\"\($0)\"" } ?? "null"
        let json = """
            {"objectId":"\(objectId)","name":"\(name)","age":\(age),"email":"\(email)","score":\(score),\
            "active":\(active),"created":\(created),"city":\(city)}
            """
        return Row(id: .text(objectId), revision: Revision(1), json: Array(json.utf8)[...])
    }

    /// The number of the person with an id.
    static func number(of id: String) -> Int {
        Int(id.utf8.dropFirst(7).reduce(0) { $0 * 10 + Int($1) - 48 })
    }
}
