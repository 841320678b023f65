import Foundation
import RemoteData
import RemoteDataBackends

#if canImport(Glibc)
import Glibc
#endif

/// What a loaded row costs.
struct MemoryBenchmarks {
    let url: String
    let rows: Int

    /// Bytes of heap for each row: loaded, loaded and looked at, and as an array.
    func run() throws -> [String] {
        #if canImport(Glibc)
        var options = CollectionOptions()
        options.pageSize = 1_000
        options.isLive = false
        let table = try RESTTable("\(url)/people")
        let start = heap()
        let people = try RemoteDataCollection<Person>(table: table, options: options)
        try people.populate()
        let loaded = heap()
        var count = 0
        for person in people where person.age >= 0 { count += 1 }
        let decoded = heap()
        let array = Array(people)
        let copied = heap()
        return [
            "loaded, undecoded: \((loaded - start) / rows) bytes a row",
            "loaded and decoded: \((decoded - start) / rows) bytes a row",
            "[Person] of the same \(array.count) values, sharing their text: \((copied - decoded) / rows) bytes a row",
        ]
        #else
        return ["heap figures need glibc"]
        #endif
    }

    #if canImport(Glibc)
    private func heap() -> Int {
        malloc_trim(0)
        let info = mallinfo2()
        return Int(info.uordblks + info.hblkhd)
    }
    #endif
}
