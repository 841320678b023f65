import Foundation
import RemoteData

/// The ids that an import gives to rows without one: UUIDs (version 8, RFC 9562) that begin alike and end with
/// the row's number in the file.
///
/// So they are known again, and the rows of a table are in the order of the file.
struct ImportedIDs: Sendable, Hashable {
    /// What all of them begin with.
    let prefix: String

    /// Ids that nobody else has.
    init() {
        var text = Array(UUID().uuidString.prefix(Self.length))
        (text[14], text[19]) = ("8", "8")
        prefix = String(text)
    }

    /// Ids with a known beginning; nil for text that is none.
    init?(prefix: String) {
        let isWhole = prefix.utf8.count == Self.length
        guard isWhole, prefix.allSatisfy({ $0 == "-" || $0.isHexDigit }) else { return nil }
        self.prefix = prefix
    }

    /// The id of the row with a number.
    subscript(number: Int) -> RowID {
        let digits = String(number, radix: 16, uppercase: true)
        return .text(prefix + String(repeating: "0", count: max(0, 12 - digits.count)) + digits)
    }

    /// What chooses the rows with these ids.
    func clause(idColumn: String) throws(RemoteDataError) -> Where {
        try Where("\(idColumn) like '\(prefix)%'")
    }

    private static let length = 24
}
