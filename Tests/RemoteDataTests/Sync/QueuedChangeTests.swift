import Testing

@testable import RemoteData

@Suite struct QueuedChangeTests {
    private static func change(_ kind: QueuedChange.Kind, _ json: String = "") -> QueuedChange {
        QueuedChange(kind, Array(json.utf8)[...])
    }

    private static let row = #"{"id":1,"a":1,"b":1}"#
    private static let other = #"{"id":1,"c":1}"#

    /// Two writes made one do what they do one after another, whatever the row was.
    @Test func twoWritesMadeOneDoWhatBothDo() throws {
        let changes = [
            Self.change(.create, Self.row), Self.change(.upsert, Self.other),
            Self.change(.update, #"{"b":2,"d":null}"#), Self.change(.update, #"{"a":3}"#),
            Self.change(.delete),
        ]
        for first in changes {
            for second in changes {
                for row in [nil, #"{"id":1,"a":0,"b":0,"z":0}"#] {
                    let before = row.map { Array($0.utf8)[...] }
                    let between = try first.applied(to: before)
                    // No row is changed that is not there, and none created that is.
                    if second.kind == .update || second.kind == .delete, between == nil { continue }
                    if second.kind == .create, between != nil { continue }
                    if first.kind == .create, before != nil { continue }
                    if first.kind == .update || first.kind == .delete, before == nil { continue }
                    let both = try first.followed(by: second)
                    let after = try second.applied(to: between)
                    let result = try both.map { try $0.applied(to: before) } ?? before
                    #expect(result == after, "\(first.kind) \(second.kind)")
                }
            }
        }
    }

    @Test func whatWasOnlyHereComesToNothing() throws {
        #expect(try Self.change(.create, Self.row).followed(by: Self.change(.delete)) == nil)
    }

    /// The server may have the row that was removed and made again.
    @Test func aRowMadeAgainTakesThePlaceOfTheOldOne() throws {
        let both = try Self.change(.delete).followed(by: Self.change(.create, Self.row))
        #expect(both == Self.change(.upsert, Self.row))
    }
}
