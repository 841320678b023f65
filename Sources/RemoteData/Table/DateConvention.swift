public import Foundation

/// How a table writes dates.
///
/// A table compares what it has stored: numbers as numbers, text by its bytes. So dates compare as instants when
/// every row spells them by the convention, as rows encoded with ``encoding`` do. All conventions but
/// ``epochSeconds`` hold milliseconds, to which a date is rounded.
public struct DateConvention: Sendable, Hashable {
    private enum Form: Sendable { case milliseconds, seconds, iso8601, spaced }
    private let form: Form

    /// Milliseconds since 1970-01-01 00:00 UTC, as an integer: the native convention.
    public static let epochMilliseconds = DateConvention(form: .milliseconds)
    /// Seconds since 1970-01-01 00:00 UTC, with a fraction.
    public static let epochSeconds = DateConvention(form: .seconds)
    /// Text as in ISO 8601, always in UTC and with three digits of milliseconds: `2026-11-21T10:00:00.000Z`.
    ///
    /// In this spelling the order of the text is that of the instants (years 1 to 9999). Other spellings of ISO 8601,
    /// without a fraction or with an offset such as `+02:00`, are read, but a table that stores them compares and
    /// sorts them as the text they are: clauses and orders over such a column then mean the text, not the instant.
    public static let iso8601 = DateConvention(form: .iso8601)

    /// The same with a space between date and time, as PocketBase has it: `2026-11-21 10:00:00.000Z`.
    ///
    /// Empty text is no date: an optional one is nil then.
    public static let spacedISO8601 = DateConvention(form: .spaced)

    /// A date as a value of the table.
    ///
    /// - Throws: `EncodingError` for a date the convention cannot write: not a number, infinite, or so far away that
    ///   its integer has no 64 bits or its year no four digits.
    public func value(_ date: Date) throws -> Value {
        switch form {
        case .milliseconds: .integer(try Self.milliseconds(date, at: []))
        case .seconds: .double(try Self.seconds(date, at: []))
        case .iso8601: .text(try Self.text(date, at: []))
        case .spaced: .text(try Self.spaced(date, at: []))
        }
    }

    /// How a JSON encoder writes dates for this table.
    ///
    /// A date the convention cannot write is an `EncodingError` with the path of its key.
    public var encoding: JSONEncoder.DateEncodingStrategy {
        .custom { [form] date, encoder in
            var container = encoder.singleValueContainer()
            switch form {
            case .milliseconds: try container.encode(Self.milliseconds(date, at: encoder.codingPath))
            case .seconds: try container.encode(Self.seconds(date, at: encoder.codingPath))
            case .iso8601: try container.encode(Self.text(date, at: encoder.codingPath))
            case .spaced: try container.encode(Self.spaced(date, at: encoder.codingPath))
            }
        }
    }

    /// How a JSON decoder reads dates from this table.
    public var decoding: JSONDecoder.DateDecodingStrategy {
        switch form {
        case .milliseconds: .millisecondsSince1970
        case .seconds: .secondsSince1970
        case .iso8601, .spaced:
            .custom { decoder in
                let container = try decoder.singleValueContainer()
                guard let date = Self.date(try container.decode(String.self)) else {
                    throw DecodingError.dataCorruptedError(
                        in: container,
                        debugDescription: "This is no date as in ISO 8601."
                    )
                }
                return date
            }
        }
    }
}

extension DateConvention {
    /// Whether empty text stands for no date.
    var hasEmptyText: Bool { form == .spaced }

    /// How many times a second dates count; nil where they are text.
    var scale: Double? {
        switch form {
        case .milliseconds: 1_000
        case .seconds: 1
        case .iso8601, .spaced: nil
        }
    }

    /// A date of the table some time before another; nil for what is no date by the convention.
    package func value(_ value: Value, movedBackBy time: Duration) -> Value? {
        switch (form, value) {
        case (.milliseconds, .integer(let milliseconds)):
            .integer(milliseconds.subtractingReportingOverflow(Int64(time / .milliseconds(1))).partialValue)
        case (.seconds, .integer(let seconds)): .double(Double(seconds) - time / .seconds(1))
        case (.milliseconds, .double(let milliseconds)): .double(milliseconds - time / .milliseconds(1))
        case (.seconds, .double(let seconds)): .double(seconds - time / .seconds(1))
        case (.iso8601, .text(let text)), (.spaced, .text(let text)):
            Self.date(text).flatMap { try? self.value($0.addingTimeInterval(-(time / .seconds(1)))) }
        default: nil
        }
    }

    /// The milliseconds from the first instant of the year 1 (that of `Date.distantPast`) to the last of 9999.
    private static let yearsOfFourDigits: ClosedRange<Int64> = -62_135_769_600_000...253_402_300_799_999

    private static func milliseconds(_ date: Date, at path: [any CodingKey]) throws -> Int64 {
        guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) else {
            throw unwritable(date, at: path)
        }
        return milliseconds
    }

    private static func seconds(_ date: Date, at path: [any CodingKey]) throws -> Double {
        guard date.timeIntervalSince1970.isFinite else { throw unwritable(date, at: path) }
        return date.timeIntervalSince1970
    }

    private static func text(_ date: Date, at path: [any CodingKey]) throws -> String {
        let milliseconds = try milliseconds(date, at: path)
        guard yearsOfFourDigits.contains(milliseconds) else { throw unwritable(date, at: path) }
        let fraction = (milliseconds % 1000 + 1000) % 1000
        // Formatted as whole seconds: a fraction would be cut off where it should be rounded.
        let whole = Date(timeIntervalSince1970: Double((milliseconds - fraction) / 1000))
        return whole.formatted(.iso8601).dropLast() + "." + String(1000 + fraction).dropFirst() + "Z"
    }

    private static func spaced(_ date: Date, at path: [any CodingKey]) throws -> String {
        try text(date, at: path).replacing("T", with: " ")
    }

    private static func date(_ text: String) -> Date? {
        let text = text.replacing(" ", with: "T", maxReplacements: 1)
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? Date(text, strategy: fractional)) ?? (try? Date(text, strategy: .iso8601))
    }

    private static func unwritable(_ date: Date, at path: [any CodingKey]) -> EncodingError {
        let problem = "The date is not a number, or too far away for how the table writes dates."
        // As a number: the description of such a date traps.
        let value = date.timeIntervalSince1970
        return .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: problem))
    }
}
