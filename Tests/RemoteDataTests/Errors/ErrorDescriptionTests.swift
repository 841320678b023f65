import Foundation
import RemoteData
import Testing

/// What errors say.
struct ErrorDescriptionTests {
    private struct Cause: Error, CustomStringConvertible {
        let description: String
    }

    @Test(
        "A description says nothing twice",
        arguments: [
            (nil, "not found: It is gone."),
            ("unreachable: It is gone. (code 7)", "not found: It is gone. (code 7)"),
            ("It is gone.", "not found: It is gone."),
            ("code 7", "not found: It is gone. (code 7)"),
            ("Why? It is gone.", "not found: It is gone. (Why? It is gone.)"),
        ]
    )
    func description(cause: String?, expected: String) {
        let error = RemoteDataError(.notFound, "It is gone.", cause: cause.map { Cause(description: $0) })
        #expect("\(error)" == expected)
    }

    @Test("The localized description is the message")
    func localizedDescription() {
        let error: any Error = RemoteDataError(.notFound, "It is gone.")
        #expect(error.localizedDescription == "It is gone.")
    }
}
