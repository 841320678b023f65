// swift-tools-version: 6.3

import PackageDescription

// One of the two, or programs would not know which one they call.
let sqlite: [Target.Dependency] = [
    .target(name: "CSQLite", condition: .when(traits: ["SystemSQLite"])),
    .target(name: "CSQLCipher", condition: .when(traits: ["SQLCipher"])),
]

let package = Package(
    name: "RemoteDataCollection",
    platforms: [.macOS(.v26), .iOS(.v26)],
    products: [
        .library(name: "RemoteData", targets: ["RemoteData"]),
        .library(name: "RemoteDataBackends", targets: ["RemoteDataBackends"]),
        .library(name: "RemoteDataSQLite", targets: ["RemoteDataSQLite"]),
        .library(name: "RemoteDataServer", targets: ["RemoteDataServer"]),
        .library(name: "RemoteDataTesting", targets: ["RemoteDataTesting"]),
        .executable(name: "table-server", targets: ["table-server"]),
        .executable(name: "live-table", targets: ["live-table"]),
        .executable(name: "benchmarks", targets: ["benchmarks"]),
        .executable(name: "simulate", targets: ["simulate"]),
        .executable(name: "oracle", targets: ["oracle"]),
        .executable(name: "store-crash", targets: ["store-crash"]),
        .executable(name: "sync-crash", targets: ["sync-crash"]),
    ],
    traits: [
        .default(enabledTraits: ["SystemSQLite"]),
        .trait(name: "SystemSQLite", description: "The SQLite of the system"),
        .trait(
            name: "SQLCipher",
            description: "SQLCipher in its place, so that local stores can be encrypted"
        ),
    ],
    targets: [
        // MARK: C libraries: headers only, no Swift.
        .systemLibrary(
            name: "CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .systemLibrary(
            name: "CLibWebSockets",
            pkgConfig: "libwebsockets",
            providers: [.apt(["libwebsockets-dev"]), .brew(["libwebsockets"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),

        .systemLibrary(
            name: "CSQLCipher",
            pkgConfig: "sqlcipher",
            providers: [.apt(["libsqlcipher-dev"]), .brew(["sqlcipher"])]
        ),

        // MARK: Library: arrows point down only.
        .target(name: "RemoteDataExecution"),
        .target(name: "RemoteData", dependencies: ["RemoteDataExecution"]),
        .target(
            name: "RemoteDataNetwork",
            dependencies: ["RemoteDataExecution", "CCurl", "CLibWebSockets"]
        ),
        .target(name: "RemoteDataSQLite", dependencies: ["RemoteData", "RemoteDataExecution"] + sqlite),
        .target(
            name: "RemoteDataBackends",
            dependencies: ["RemoteData", "RemoteDataExecution", "RemoteDataNetwork"]
        ),
        .target(
            name: "RemoteDataServer",
            dependencies: ["RemoteData", "RemoteDataExecution", "CLibWebSockets"]
        ),
        .target(
            name: "RemoteDataTesting",
            dependencies: ["RemoteData", "RemoteDataExecution", "RemoteDataSQLite"]
        ),
        // A network that can be broken, for tests.
        .target(name: "FaultyNetwork"),

        // What the fuzzers and the tests of their corpus check; `Tests/fuzz` builds the fuzzers.
        .target(
            name: "Fuzzing",
            dependencies: ["RemoteData"],
            path: "Tests/Fuzzing",
            exclude: ["Corpus", "Targets"]
        ),

        // Programs that tests start.
        .target(name: "ProgramTesting", path: "Tests/ProgramTesting"),

        // MARK: Programs: they see products only.
        .target(name: "Signals"),
        .executableTarget(
            name: "table-server",
            dependencies: ["RemoteData", "RemoteDataServer", "RemoteDataSQLite", "Signals"],
            packageAccess: false
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "RemoteData", "RemoteDataBackends", "RemoteDataServer", "RemoteDataSQLite", "CCurl",
                "CLibWebSockets", "CSQLite",
            ],
            exclude: ["figures.svg", "thresholds.json"],
            packageAccess: false
        ),
        .executableTarget(name: "simulate", dependencies: ["RemoteDataTesting"], packageAccess: false),
        // It looks into collections, so it is the one program that sees more.
        .executableTarget(
            name: "oracle",
            dependencies: [
                "FaultyNetwork", "RemoteData", "RemoteDataBackends", "RemoteDataExecution",
                "RemoteDataSQLite", "RemoteDataTesting", "Signals",
            ]
        ),
        .executableTarget(
            name: "store-crash",
            dependencies: ["RemoteData", "RemoteDataSQLite", "RemoteDataTesting"] + sqlite
        ),
        .executableTarget(
            name: "sync-crash",
            dependencies: ["RemoteData", "RemoteDataBackends", "RemoteDataSQLite", "RemoteDataTesting"],
            packageAccess: false
        ),
        .executableTarget(
            name: "live-table",
            dependencies: ["RemoteData", "RemoteDataBackends", "Signals"],
            path: "Samples/live-table",
            packageAccess: false
        ),
        .executableTarget(
            name: "datasette-rows",
            dependencies: ["RemoteData"],
            path: "Samples/datasette-rows",
            packageAccess: false
        ),
        .executableTarget(
            name: "airports-tour",
            dependencies: ["RemoteData", "RemoteDataBackends"],
            path: "Samples/airports-tour",
            packageAccess: false
        ),
        .executableTarget(
            name: "shopping-list",
            dependencies: ["RemoteData", "RemoteDataBackends", "RemoteDataSQLite"],
            path: "Samples/shopping-list",
            packageAccess: false
        ),
        .executableTarget(
            name: "messenger",
            dependencies: ["RemoteData", "RemoteDataSQLite"],
            path: "Samples/messenger",
            packageAccess: false
        ),
        .executableTarget(
            name: "offline-notes",
            dependencies: ["RemoteData", "RemoteDataBackends", "RemoteDataSQLite"],
            path: "Samples/offline-notes",
            packageAccess: false
        ),

        // MARK: Tests: one target per library target, and one that runs the programs.
        .testTarget(
            name: "RemoteDataExecutionTests",
            dependencies: ["RemoteDataExecution", "RemoteDataTesting"]
        ),
        .testTarget(
            name: "RemoteDataTests",
            dependencies: [
                "Fuzzing", "RemoteData", "RemoteDataExecution", "RemoteDataTesting", "simulate",
            ],
            exclude: ["Scenarios"]
        ),
        .testTarget(
            name: "RemoteDataNetworkTests",
            dependencies: ["RemoteDataExecution", "RemoteDataNetwork", "RemoteDataTesting"]
        ),
        .testTarget(
            name: "RemoteDataSQLiteTests",
            dependencies: [
                "ProgramTesting", "RemoteDataBackends", "RemoteDataServer", "RemoteDataSQLite",
                "RemoteDataTesting", "store-crash",
            ] + sqlite
        ),
        .testTarget(
            name: "RemoteDataBackendsTests",
            dependencies: [
                "FaultyNetwork", "RemoteDataBackends", "RemoteDataExecution", "RemoteDataNetwork",
                "RemoteDataServer", "RemoteDataSQLite", "RemoteDataTesting",
            ]
        ),
        .testTarget(
            name: "RemoteDataServerTests",
            dependencies: [
                "RemoteData", "RemoteDataExecution", "RemoteDataServer", "RemoteDataTesting", "table-server",
            ]
        ),
        // Against servers of others, which `Tests/interop` installs; without those they pass over.
        .testTarget(
            name: "InteropTests",
            dependencies: [
                "FaultyNetwork", "ProgramTesting", "RemoteData", "RemoteDataBackends", "RemoteDataNetwork",
                "RemoteDataTesting", "datasette-rows", "live-table",
            ]
        ),
        .testTarget(
            name: "SamplesTests",
            dependencies: [
                "ProgramTesting", "RemoteData", "RemoteDataBackends", "airports-tour", "datasette-rows",
                "live-table", "messenger", "offline-notes", "oracle", "shopping-list", "Signals", "simulate",
                "table-server",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Targets that touch C, and so may use unsafe constructs. The compiler refuses them everywhere else.
let unsafeTargets: Set = [
    "FaultyNetwork", "RemoteDataNetwork", "RemoteDataSQLite", "RemoteDataServer", "Signals",
]

for target in package.targets where target.type != .system {
    var settings: [SwiftSetting] = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    if target.type == .regular, !unsafeTargets.contains(target.name) {
        settings.append(.strictMemorySafety())
    }
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}

// Some of the tests with what they need, as for a sanitizer: ONLY_TESTS="RemoteDataTests" swift build --build-tests
if let tests = Context.environment["ONLY_TESTS"] {
    var (needed, waiting) = (Set<String>(), tests.split(separator: " ").map(String.init))
    while let name = waiting.popLast() {
        guard needed.insert(name).inserted else { continue }
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): waiting.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { !needed.contains($0.name) }
}
