/// Describes an error by its code and message, with its cause in parentheses.
///
/// A cause with the same message adds only what it knows beyond that.
/// - Parameters:
///   - code: What kind of error it is.
///   - message: What it says.
///   - cause: The lower-level error, if there is one.
/// - Returns: The description.
package func errorDescription(_ code: String, _ message: String, cause: (any Error)?) -> String {
    guard let cause else { return "\(code): \(message)" }
    let reason = String(describing: cause)
    guard !message.isEmpty, let range = reason.firstRange(of: message),
        range.lowerBound == reason.startIndex || reason[..<range.lowerBound].hasSuffix(": ")
    else { return "\(code): \(message) (\(reason))" }
    return "\(code): \(message)\(reason[range.upperBound...])"
}
