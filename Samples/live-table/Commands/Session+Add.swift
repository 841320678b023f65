import Foundation
import RemoteData

extension Session {
    /// Adds the rows of the JSON given, 1,000 at a time, and prints them as stored.
    func add() async throws(Failure) {
        let elements = try newRows()
        for element in elements { table.columns.note(element.members) }
        let collection = try await rows()
        var stored: [LiveRow] = []
        do throws(Failure) {
            for start in stride(from: 0, to: elements.count, by: 1_000) {
                let part = Array(elements[start..<min(start + 1_000, elements.count)])
                let result = try await request { () async throws(RemoteDataError) in
                    try await collection.add(contentsOf: part)
                }
                stored += result.stored
                for row in result.discarded {
                    Output.complain("live-table: discarded, as it does not match --where: \(row.value.json)")
                }
            }
        } catch {
            guard !stored.isEmpty, let message = error.message else { throw error }
            throw Failure("\(message) The first \(stored.count.grouped) rows are stored.")
        }
        guard !stored.isEmpty else { throw Failure("No row is stored, as none matches --where.") }
        try print(stored)
    }

    /// The rows of the JSON on the command line or on standard input.
    private func newRows() throws(Failure) -> [LiveRow] {
        let argument = arguments.operands[0]
        let isInput = argument == "-"
        let name = isInput ? "The JSON on standard input" : "The JSON"
        let bytes = isInput ? [UInt8](FileHandle.standardInput.readDataToEndOfFile()) : Array(argument.utf8)
        let values = try json(in: bytes, name)
        let elements = values.flatMap { value in
            if case .array(let elements) = value { elements } else { [value] }
        }
        guard !elements.isEmpty else { throw .usage("\(name) holds no rows.") }
        var rows: [LiveRow] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let members) = element else {
                throw .usage("\(name) has to hold objects, and number \(index + 1) is none: \(element.json)")
            }
            rows.append(LiveRow(members: members))
        }
        return rows
    }
}

extension Session {
    /// The JSON values of a text the user gave.
    func json(in bytes: [UInt8], _ name: String) throws(Failure) -> [JSONValue] {
        do throws(JSONReader.Problem) { return try JSONReader.values(in: bytes) } catch {
            throw .usage("\(name) cannot be read: at byte \(error.position + 1), \(error.message).")
        }
    }
}

extension LiveRow {
    /// Reads a row of a table.
    init?(_ row: Row) {
        guard case .object(let members)? = (try? JSONReader.values(in: row.json))?.first else { return nil }
        self.init(members: members)
    }
}
