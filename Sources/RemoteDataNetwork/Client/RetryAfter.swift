package import Foundation

/// Reads the header `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// How long to wait, or nil when the text says nothing one can understand.
    ///
    /// - Parameters:
    ///   - text: A number of seconds, or a date in one of the three formats of HTTP.
    ///   - now: The current date, which a date in the text is compared with.
    /// - Returns: The wait; zero for a date that is past.
    package static func duration(_ text: String, now: Date) -> Duration? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return Int(text).map { .seconds($0) } ?? .seconds(Int(Int32.max))
        }
        return date(text).map { .seconds(max(0, $0.timeIntervalSince(now))) }
    }

    /// A date as HTTP writes it (RFC 9110, section 5.6.7): the current format or one of the two obsolete
    /// ones.
    package static func date(_ text: String) -> Date? {
        for format in [
            "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy",
        ] {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(identifier: "GMT")
            formatter.dateFormat = format
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }
}
