import Foundation
import RemoteData
import Testing

@testable import RemoteDataSQLite

/// Room in the log, so that commits seldom make the file longer.
@Suite struct LogRoomTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.db")
    }

    private var logSize: Int {
        get throws {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
            return try #require(attributes[.size] as? Int)
        }
    }

    /// A connection whose log is copied to the file when it has so many frames.
    private func connection(checkpointAt frames: Int32 = 8_000) throws -> Connection {
        let connection = try Connection(path: path, isReader: false)
        try connection.execute("PRAGMA page_size = 4096")
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.keepLogRoom(checkpointAt: frames)
        try connection.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, text TEXT)")
        return connection
    }

    private func insert(_ count: Int, into connection: Connection) throws {
        for _ in 0..<count {
            try connection.transaction("IMMEDIATE") { () throws(RemoteDataError) in
                try connection.run("INSERT INTO t (text) VALUES (hex(randomblob(500)))")
            }
        }
    }

    private func count(at path: String) throws -> Int64? {
        let connection = try Connection(path: path, isReader: false)
        #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
        return try connection.first("SELECT count(*) FROM t") { $0.integer(0) }
    }

    @Test func smallCommitsSeldomMakeTheLogLonger() throws {
        let connection = try connection()
        var sizes: Set<Int> = []
        for _ in 0..<200 {
            try insert(1, into: connection)
            sizes.insert(try logSize)
        }
        #expect(sizes.count < 12)
        // And it is not much longer than what is in it.
        #expect(try logSize < 5_000_000)
    }

    @Test func whatIsCommittedIsThereAfterACrash() throws {
        let connection = try connection()
        try insert(300, into: connection)
        // The files as they are when the program is killed.
        let copy = folder.file("copy.db")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        #expect(try count(at: copy) == 300)
        _ = connection
    }

    @Test func theLogIsCopiedToTheFileAndBegunAnew() throws {
        let connection = try connection(checkpointAt: 20)
        try insert(500, into: connection)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(try #require(size) > 400_000)
        #expect(try logSize < 400_000)
    }

    @Test func twoWritersTakeTurns() throws {
        let (first, second) = (try connection(), try connection())
        for _ in 0..<50 {
            try insert(1, into: first)
            try insert(2, into: second)
        }
        #expect(try first.first("SELECT count(*) FROM t") { $0.integer(0) } == 150)
        #expect(try count(at: path) == 150)
    }
}
