/// The time as HTTP writes it, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The text for a number of seconds since 1970, not before it.
    static func text(secondsSince1970 seconds: Int) -> String {
        let seconds = max(0, seconds)
        let day = seconds / 86_400
        let date = civil(day)
        let clock = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map(twoDigits).joined(
            separator: ":"
        )
        return "\(days[day % 7]), \(twoDigits(date.day)) \(months[date.month - 1]) \(date.year) \(clock) GMT"
    }

    /// The date of a day counted from 1970-01-01, by the Gregorian calendar with years that begin in March.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
