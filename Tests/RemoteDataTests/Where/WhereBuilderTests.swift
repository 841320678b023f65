import RemoteData
import Testing

@Suite struct WhereBuilderTests {
    @Test func eachIsTheClauseThatOneWouldWrite() throws {
        let point = try GeoPoint(latitude: 51.5, longitude: -0.12)
        let cases: [(Where, String)] = [
            (.exists("a"), "a IS NOT NULL"),
            (.hasPrefix("a", "x"), "a LIKE 'x%'"),
            (.hasPrefix("a", "5% _\\"), #"a LIKE '5\% \_\\%' ESCAPE '\'"#),
            (.hasSuffix("a", "x"), "a LIKE '%x'"),
            (.hasSuffix("a", "%"), #"a LIKE '%\%' ESCAPE '\'"#),
            (.containsText("a", "it's"), "a LIKE '%it''s%'"),
            (.containsText("a", ""), "a LIKE '%%'"),
            (.contains("a", any: ["x"]), "a CONTAINS 'x'"),
            (.contains("a", any: ["x", 2, true, nil]), "a CONTAINS ANY ('x', 2, TRUE, NULL)"),
            (.contains("a", all: ["x", 2.5]), "a CONTAINS ALL ('x', 2.5)"),
            (.isAmong("a", SubQuery("b", from: "t")), "a IN (SELECT b FROM t)"),
            (
                .not(.isAmong("a", SubQuery("b", from: "my table", where: .exists("c")))),
                "a NOT IN (SELECT b FROM \"my table\" WHERE c IS NOT NULL)"
            ),
            (try .matches("a", "^it's"), "a MATCHES '^it''s'"),
            (
                .near(latitude: "lat", longitude: "lon", of: point, within: 1000),
                "DISTANCE(lat, lon, 51.5, -0.12) <= 1000"
            ),
            (
                .inside(latitude: "lat", longitude: "lon", south: -10, west: 5, north: 10, east: 20.5),
                "lat BETWEEN -10.0 AND 10.0 AND lon BETWEEN 5.0 AND 20.5"
            ),
            (
                .inside(latitude: "lat", longitude: "lon", south: -10, west: 170, north: 10, east: -170),
                "lat BETWEEN -10.0 AND 10.0 AND (lon BETWEEN 170.0 AND 180.0 OR lon BETWEEN -180.0 AND -170.0)"
            ),
        ]
        for (clause, text) in cases {
            #expect(clause.description == text)
            #expect(try Where(text) == clause, "\(text)")
        }
    }

    @Test func textIsFoundWhateverWildcardsItHolds() {
        for text in ["", "%", "_", "\\", "a%b", "100%_\\", "é"] {
            for (around, clause) in [
                (text + "tail", Where.hasPrefix("a", text)), ("head" + text, .hasSuffix("a", text)),
                ("head" + text + "tail", .containsText("a", text)),
            ] {
                let row = Row(id: "1", json: Value.object(around))
                #expect(clause.matches(row), "\(clause): \(around)")
                if !text.isEmpty { #expect(!clause.matches(Row(id: "1", json: Value.object("xyz")))) }
            }
        }
    }

    @Test func aBoxAcrossTheDateLineHoldsBothSides() {
        let box = Where.inside(
            latitude: "lat",
            longitude: "lon",
            south: -20,
            west: 177,
            north: -12,
            east: -178
        )
        for (longitude, isInside) in [
            (178.0, true), (-179, true), (180, true), (-180, true), (0, false), (-170, false),
        ] {
            let row = Row(id: "1", json: ArraySlice("{\"lat\":-17.7,\"lon\":\(longitude)}".utf8))
            #expect(box.matches(row) == isInside, "\(longitude)")
        }
        #expect(!box.matches(Row(id: "1", json: ArraySlice(#"{"lat":-17.7,"lon":"178"}"#.utf8))))
    }

    @Test func aPatternThatCannotBeReadIsRefused() {
        let error = #expect(throws: RemoteDataError.self) { try Where.matches("a", "x(") }
        #expect(error?.code == .invalidClause)
        #expect(error?.position == 1)
    }
}

extension Value {
    /// A row's JSON with some text in its column `a`.
    fileprivate static func object(_ text: String) -> ArraySlice<UInt8> {
        ArraySlice(Array("{\"a\":".utf8) + Value.text(text).json + Array("}".utf8))
    }
}
