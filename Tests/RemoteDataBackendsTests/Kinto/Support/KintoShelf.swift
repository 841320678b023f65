import Foundation
import RemoteData
import RemoteDataNetwork

@testable import RemoteDataBackends

/// Lists rows by the rules of Kinto, as far as this library asks for lists: in its order of values, where what is missing is the greatest.
struct KintoShelf {
    var rows: [Row]
    /// The most rows of a list, whatever is asked for.
    var cap = Int.max
    var revision = 1_000

    init(_ jsons: [String], cap: Int = .max) throws {
        rows = try jsons.map { try Row.parse(Array($0.utf8)[...], idColumn: "id") }
        self.cap = cap
    }

    /// What Kinto would answer.
    func list(_ part: KintoPaging.Part) throws -> KintoList {
        var found = rows
        for parameter in part.conditions.text.split(separator: "&") {
            found = try filtered(found, String(parameter))
        }
        found.sort { left, right in
            for name in part.sort.split(separator: ",") {
                let isDescending = name.hasPrefix("-")
                let column = String(isDescending ? name.dropFirst() : name)
                let (first, second) = (Self.place(left, column), Self.place(right, column))
                if first != second { return (first < second) != isDescending }
            }
            return false
        }
        let size = min(part.size, cap)
        return try Self.list(found.prefix(size).map(\.text), revision: revision, hasMore: found.count > size)
    }

    /// An answer.
    static func list(_ jsons: [String], revision: Int = 1_000, hasMore: Bool = false) throws -> KintoList {
        var headers: HTTPHeaders = ["ETag": "\"\(revision)\""]
        if hasMore { headers["Next-Page"] = "http://somewhere.else/?_token=x" }
        let body = #"{"data":[\#(jsons.joined(separator: ","))]}"#
        return try KintoList(HTTPResponse(status: 200, headers: headers, body: Array(body.utf8)), "t")
    }

    private func filtered(_ rows: [Row], _ parameter: String) throws -> [Row] {
        let parts = (parameter.removingPercentEncoding ?? "").split(separator: "=", maxSplits: 1).map(
            String.init
        )
        let words = parts[0].split(separator: "_", maxSplits: 1).map(String.init)
        let isList = words[0] == "in" || words[0] == "exclude"
        let texts = isList ? parts[1].split(separator: ",").map(String.init) : [parts[1]]
        let values = texts.compactMap { Value(json: Array($0.utf8)[...]) }.map { Place($0) }
        return rows.filter { row in
            let place = Self.place(row, words[1])
            return switch words[0] {
            case "eq", "in": values.contains(place)
            case "not", "exclude": !values.contains(place)
            case "gt": values[0] < place
            case "min": values[0] <= place
            case "lt": place < values[0]
            default: place <= values[0]
            }
        }
    }

    private static func place(_ row: Row, _ column: String) -> Place {
        let path = ColumnPath(names: column.split(separator: ".").map(String.init))
        return row.holds(path) ? Place(row[path]) : .missing
    }

    /// A value in Kinto's order.
    private struct Place: Comparable {
        static let missing = Place(rank: 6, value: .null)

        let rank: Int
        let value: Value

        init(rank: Int, value: Value) { (self.rank, self.value) = (rank, value) }

        init(_ value: Value) {
            let rank =
                switch value {
                case .null: 0
                case .text: 1
                case .integer, .double: 2
                case .bool: 3
                case .json(let text): text.hasPrefix("[") ? 4 : 5
                }
            self.init(rank: rank, value: value)
        }

        static func == (left: Place, right: Place) -> Bool {
            left.rank == right.rank && Value.order(left.value, right.value) == .same
        }

        static func < (left: Place, right: Place) -> Bool {
            left.rank == right.rank
                ? Value.order(left.value, right.value) == .ascending : left.rank < right.rank
        }
    }
}
