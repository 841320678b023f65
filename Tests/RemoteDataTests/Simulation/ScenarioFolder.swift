import Foundation
import RemoteDataTesting

/// The scenario files, in folders by subject.
enum ScenarioFolder {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Scenarios")

    /// Every file, as `Folder/name.json`.
    static let files: [String] = {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
        return (names ?? []).filter { $0.hasSuffix(".json") }.sorted()
    }()

    static func scenario(_ file: String) throws -> Scenario {
        try Scenario(json: Data(contentsOf: folder.appending(path: file)))
    }
}
