import RemoteData
import RemoteDataTesting
import Testing

struct MemoryTableTests {
    @Test(arguments: TableSection.allCases) func keepsTheContract(section: TableSection) async {
        await checkTable(logCapacity: 300, sections: [section]) { MemoryTable("rows", logCapacity: 300) }
        await checkTable(logCapacity: 300, sections: [section]) {
            MemoryTable("rows", logCapacity: 300, epoch: .random())
        }
    }
}
