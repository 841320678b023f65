import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataServer
import RemoteDataSQLite
import RemoteDataTesting
import Synchronization
import Testing

/// The whole contract of a table, over a real socket.
@Suite(.timeLimit(.minutes(5))) struct ServedTableTests {
    @Test(arguments: TableSection.allCases)
    func aTableServedFromMemoryKeepsTheContract(section: TableSection) async throws {
        try await withServer(MemoryTableStore(logCapacity: 200)) { url in
            let server = try RESTServer(url, configuration: .lenient)
            let number = Atomic<Int>(0)
            await checkTable(logCapacity: 200, sections: [section]) {
                server.table("t\(number.wrappingAdd(1, ordering: .relaxed).newValue)")
            }
        }
    }
}
