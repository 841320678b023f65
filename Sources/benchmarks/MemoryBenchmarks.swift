import Foundation
import RemoteData
import RemoteDataBackends

/// What a loaded row costs.
struct MemoryBenchmarks {
    let url: String
    let rows: Int

    /// Bytes of resident memory for each row: loaded, loaded and looked at, and as an array.
    ///
    /// To be measured before anything else, while the process has no freed memory to hide new rows in.
    func run() throws -> [String] {
        var options = CollectionOptions()
        options.pageSize = 1_000
        options.isLive = false
        let table = try RESTTable("\(url)/people")
        let people = try RemoteDataCollection<Person>(table: table, options: options)
        let start = Resident.bytes
        try people.populate()
        let loaded = Resident.bytes
        var count = 0
        for person in people where person.age >= 0 { count += 1 }
        let decoded = Resident.bytes
        let array = (0..<count).map { Person($0) }
        let copied = Resident.bytes
        return [
            "resident memory, loaded and not looked at: \((loaded - start) / rows) bytes a row",
            "resident memory, loaded and decoded: \((decoded - start) / rows) bytes a row",
            "resident memory, [Person] of \(array.count) rows: \((copied - decoded) / rows) bytes a row",
        ]
    }
}
