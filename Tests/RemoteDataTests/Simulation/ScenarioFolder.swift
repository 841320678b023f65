import Foundation
import RemoteDataTesting
import Synchronization

/// The scenario files, in folders by subject.
enum ScenarioFolder {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Scenarios")

    /// Every file, as `Folder/name.json`.
    static let files: [String] = {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
        return (names ?? []).filter { $0.hasSuffix(".json") }.sorted()
    }()

    private static let scenarios = Mutex<[String: Scenario]>([:])

    /// The scenario of a file, which is read once.
    static func scenario(_ file: String) throws -> Scenario {
        if let scenario = scenarios.withLock({ $0[file] }) { return scenario }
        let scenario = try Scenario(json: Data(contentsOf: folder.appending(path: file)))
        scenarios.withLock { $0[file] = scenario }
        return scenario
    }
}
