import Foundation
import RemoteData

/// A token of PocketBase, which is a JSON Web Token (RFC 7519).
struct PocketBaseToken: Sendable, Hashable {
    let text: String
    /// When it was given.
    let start: Date
    /// When it ends, by the clock here: a request with it counts from then on as that of a guest, and nothing says so.
    let end: Date?

    /// - Parameters:
    ///   - text: The token.
    ///   - now: The time here.
    ///   - serverDate: The time there, where it is known; clocks differ.
    init(_ text: String, now: Date, serverDate: Date? = nil) {
        (self.text, start) = (text, now)
        end = Self.expiry(text).map { now.addingTimeInterval($0.timeIntervalSince(serverDate ?? now)) }
    }

    /// How long before its end a token is no longer used at most, for requests on their way.
    static let margin: TimeInterval = 60

    /// Whether it has not ended, as far as anybody can know without asking.
    func isValid(_ now: Date) -> Bool {
        guard let end else { return true }
        return now < end.addingTimeInterval(-min(Self.margin, end.timeIntervalSince(start) / 4))
    }

    /// The id of the collection that a token's account is in; nil for what is no token of PocketBase.
    static func collection(of token: String) -> String? {
        guard case .text(let id)? = member("collectionId", of: token) else { return nil }
        return id
    }

    private static func expiry(_ token: String) -> Date? {
        switch member("exp", of: token) {
        case .integer(let seconds)?: Date(timeIntervalSince1970: TimeInterval(seconds))
        case .double(let seconds)?: Date(timeIntervalSince1970: seconds)
        default: nil
        }
    }

    private static func member(_ name: String, of token: String) -> Value? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var payload = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        guard let data = Data(base64Encoded: payload),
            let members = try? JSONObject.members(of: [UInt8](data)[...])
        else { return nil }
        return members.first { $0.name == name }.flatMap { Value(json: $0.json) }
    }
}
