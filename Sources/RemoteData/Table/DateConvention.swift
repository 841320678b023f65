public import Foundation

/// How a table writes dates.
public struct DateConvention: Sendable, Hashable {
    private enum Form: Sendable { case milliseconds, seconds, iso8601 }
    private let form: Form

    /// Milliseconds since 1970-01-01 00:00 UTC, as an integer: the native convention.
    public static let epochMilliseconds = DateConvention(form: .milliseconds)
    /// Seconds since 1970-01-01 00:00 UTC, with a fraction.
    public static let epochSeconds = DateConvention(form: .seconds)
    /// Text as in ISO 8601, such as `2026-11-21T10:00:00Z`, in UTC and without fractions of a second.
    public static let iso8601 = DateConvention(form: .iso8601)

    /// A date as a value of the table.
    public func value(_ date: Date) -> Value {
        switch form {
        case .milliseconds: .integer(Int64((date.timeIntervalSince1970 * 1000).rounded()))
        case .seconds: .double(date.timeIntervalSince1970)
        case .iso8601: .text(date.formatted(.iso8601))
        }
    }

    /// How a JSON encoder writes dates for this table.
    public var encoding: JSONEncoder.DateEncodingStrategy {
        switch form {
        case .milliseconds:
            .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(Int64((date.timeIntervalSince1970 * 1000).rounded()))
            }
        case .seconds: .secondsSince1970
        case .iso8601: .iso8601
        }
    }

    /// How a JSON decoder reads dates from this table.
    public var decoding: JSONDecoder.DateDecodingStrategy {
        switch form {
        case .milliseconds: .millisecondsSince1970
        case .seconds: .secondsSince1970
        case .iso8601: .iso8601
        }
    }
}
