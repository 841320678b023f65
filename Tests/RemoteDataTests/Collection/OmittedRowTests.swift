import RemoteData
import RemoteDataTesting
import Synchronization
import Testing

/// Rows that are left out are never left out in silence.
@Suite(.timeLimit(.minutes(2))) struct OmittedRowTests {
    private struct Misfit: Codable, Identifiable, Sendable {
        let id: String
        var name: Int
    }

    /// A table whose pages end with something that is no row.
    private struct TornTable: ForwardingTable {
        let inner: FaultyTable
        var wrapped: any Table { inner }

        init(wrapping table: FaultyTable) { inner = table }

        func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
            let page = try await inner.page(request)
            let error = RemoteDataError(.invalidRow, "Row 4 of the page has no id.")
            let failure = RowFailure(position: page.rows.count, error: error)
            return Page(rows: page.rows, revision: page.revision, failures: [failure])
        }
    }

    /// The lines that a collection prints for the program's developer.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock(\.self) }

        func options(_ change: (inout CollectionOptions) -> Void = { _ in }) -> CollectionOptions {
            var options = CollectionOptions.pages(of: 50)
            options.surroundings.log = { line in self.lines.withLock { $0.append(line) } }
            change(&options)
            return options
        }
    }

    @Test("A type that fits no row gives an empty list, an error with the number, and one line")
    func typeThatDoesNotFit() async throws {
        let log = Log()
        let table = try await makePeople(130)
        let misfits = try await RemoteDataCollection<Misfit>(table: table, options: log.options())
        #expect(try await onThread { misfits.map(\.name) } == [])
        let error = try #require(misfits.iterationError)
        #expect(error.code == .invalidRow)
        #expect(error.message.hasPrefix("130 rows were left out"))
        #expect(error.message.contains("name is no Int"))
        #expect(log.all.count == 1)
        #expect(log.all.first?.contains("Row p00000 is no Misfit: name is no Int") == true)
        let thrown = await #expect(throws: RemoteDataError.self) { for try await _ in misfits.rows {} }
        #expect(thrown?.message == error.message)
        #expect(log.all.count == 1)
    }

    @Test("Nothing is printed where the error handler gets each row, or the program wants none of it")
    func silence() async throws {
        let log = Log()
        let table = try await makePeople(3)
        let misfits = try await RemoteDataCollection<Misfit>(table: table, options: log.options())
        let watcher = Watcher(misfits)
        #expect(try await onThread { Array(misfits).isEmpty })
        try await watcher.until("an error for each row") {
            $0.count { if case .failed = $0 { true } else { false } } == 3
        }
        let silent = log.options { $0.logsOmittedRows = false }
        let others = try await RemoteDataCollection<Misfit>(table: table, options: silent)
        #expect(try await onThread { Array(others).isEmpty })
        #expect(others.iterationError?.code == .invalidRow)
        #expect(log.all.isEmpty)
    }

    @Test("Rows that are no rows at all end iterations and populate() with an error, after all others")
    func rowsThatCannotBeRead() async throws {
        let log = Log()
        let table = try await TornTable(wrapping: makePeople(4))
        let people = try await RemoteDataCollection<Person>(table: table, options: log.options())
        #expect(try await onThread { people.map(\.age) } == [0, 1, 2, 3])
        #expect(people.iterationError?.code == .invalidRow)
        #expect(log.all.count == 1)
        await #expect(throws: RemoteDataError.self) { try await people.populate() }
        #expect(people.isLoaded)
        var ages: [Int?] = []
        await #expect(throws: RemoteDataError.self) {
            for try await person in people.rows { ages.append(person.age) }
        }
        #expect(ages == [0, 1, 2, 3])
    }
}
