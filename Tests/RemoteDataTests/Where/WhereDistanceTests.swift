import RemoteDataTesting
import Foundation
import Testing

@testable import RemoteData

@Suite struct WhereDistanceTests {
    private func row(_ latitude: String, _ longitude: String) -> Row {
        Row(id: "1", json: ArraySlice(#"{"lat":\#(latitude),"lon":\#(longitude)}"#.utf8))
    }

    private func truth(_ clause: String, _ latitude: String, _ longitude: String) throws -> Truth {
        try Where(clause).truth(of: row(latitude, longitude))
    }

    /// From Vincenty's formula, taken for a sphere, which loses no digits anywhere.
    @Test(arguments: [
        (0.0, 0.0, 0.0, 180.0, 20_015_114.4), (90, 0, -90, 0, 20_015_114.4), (0, 0, 0, 1, 111_195.1),
        (51.5, -0.12, 48.8566, 2.3522, 342_572.7), (52.52, 13.405, 52.52, 13.405, 0),
        (35.6762, 139.6503, 37.7749, -122.4194, 8_274_626.4),
        (-33.8688, 151.2093, -36.8509, 174.7645, 2_156_016.5), (60, 179.9, 60, -179.9, 11_119.5),
        (10, 20, -9.999, -160.001, 20_014_958.4),
    ])
    func distancesAreThoseOnASphere(
        latitude: Double,
        longitude: Double,
        other: Double,
        otherLongitude: Double,
        metres: Double
    ) throws {
        let first = try GeoPoint(latitude: latitude, longitude: longitude)
        let second = try GeoPoint(latitude: other, longitude: otherLongitude)
        #expect(abs(first.distance(to: second) - metres) < 0.1)
        #expect(first.distance(to: second) == second.distance(to: first))
    }

    @Test func eachComparisonHoldsForItsDistances() throws {
        // One degree on the equator is 111,195 metres.
        for (sign, expected) in [
            ("<", [Truth.true, .false]), ("<=", [.true, .false]), (">", [.false, .true]),
            (">=", [.false, .true]),
        ] {
            let found = try ["1", "1.001"].map {
                try truth("distance(lat, lon, 0, 0) \(sign) 111200", "0", $0)
            }
            #expect(found == expected, "\(sign)")
        }
        #expect(try truth("distance(lat, lon, 0, 0) <= 0", "0", "0") == .true)
        #expect(try truth("distance(lat, lon, 0, 0) < 0", "0", "0") == .false)
        #expect(try truth("distance(lat, lon, 0, 0) >= 0", "0", "0") == .true)
    }

    @Test func aNullIsUnknownAndWhatIsNoPlaceIsFalse() throws {
        for sign in ["<", ">="] {
            let clause = "distance(lat, lon, 10, 20) \(sign) 1e999"
            for pair in [("null", "5"), ("5", "null"), ("null", "'x'"), ("null", "null")] {
                let text = pair.1.replacing("'", with: "\"")
                #expect(try truth(clause, pair.0, text) == .unknown)
            }
            let others = [
                (#""5""#, "5"), ("5", "[]"), ("90.1", "5"), ("-91", "5"), ("5", "180.5"), ("5", "-181"),
                ("1e999", "5"),
            ]
            for (latitude, longitude) in others {
                #expect(try truth(clause, latitude, longitude) == .false)
                #expect(try truth("not " + clause, latitude, longitude) == .true)
            }
        }
        #expect(try truth("distance(lat, lon, 1, 0) < 1", "true", "false") == .true)
        #expect(try truth("distance(lat, other, 1, 0) < 1", "1", "0") == .unknown)
    }

    @Test func readsAndPrints() throws {
        let clause = try Where("Distance ( lat, \"the lon\".x , +51.5, -0.12 ) < 1e3")
        guard case .distance(let distance) = clause else {
            Issue.record("\(clause)")
            return
        }
        #expect(distance.latitude == "lat")
        #expect(distance.longitude == ColumnPath(names: ["the lon", "x"]))
        #expect(distance.point == (try GeoPoint(latitude: 51.5, longitude: -0.12)))
        #expect(distance.comparison == .less)
        #expect(distance.metres == 1000)
        #expect(clause.description == "DISTANCE(lat, \"the lon\".x, 51.5, -0.12) < 1000")
        #expect(clause.columns == ["lat", ColumnPath(names: ["the lon", "x"])])
        #expect(try Where("not distance(a, b, 1, 2) >= 3").description == "NOT DISTANCE(a, b, 1, 2) >= 3")
    }

    @Test func distanceIsTheNameOfAColumnElsewhere() throws {
        #expect(try Where("distance < 5") == .comparison(.column("distance"), .less, .literal(5)))
        #expect(try Where("distance") == .truth(.column("distance")))
        #expect(try Where("(distance) in (1)") == .isIn(.column("distance"), [.literal(1)]))
        #expect(
            try Where("distance(distance, distance, 1, 2) > 3 and distance is null").columns == ["distance"]
        )
    }

    @Test func theBoxHoldsEveryPointWithinReach() throws {
        var random = SeededGenerator(seed: 3)
        var boxed = (latitudes: 0, longitudes: 0)
        let count = Campaign.size(quick: 20_000)
        for _ in 0..<count {
            let point = try GeoPoint(
                latitude: random.pick([-90, 90, 0, 89.9, .random(in: -90...90, using: &random)]),
                longitude: random.pick([-180, 180, 0, 179.9, .random(in: -180...180, using: &random)])
            )
            let near = random.chance(2) ? 90.0 : 1.0
            let other = try GeoPoint(
                latitude: max(-90, min(90, point.latitude + .random(in: -near...near, using: &random))),
                longitude: max(
                    -180,
                    min(180, point.longitude + .random(in: -2 * near...2 * near, using: &random))
                )
            )
            let metres = random.pick([
                point.distance(to: other), .random(in: 0...2e7, using: &random),
                .random(in: 0...1e5, using: &random),
            ])
            let clause = Where.near(latitude: "lat", longitude: "lon", of: point, within: metres)
            guard case .distance(let distance) = clause, let box = distance.box else { continue }
            boxed.latitudes += 1
            if case .and = box { boxed.longitudes += 1 }
            let row = row("\(other.latitude)", "\(other.longitude)")
            #expect(!clause.matches(row) || box.matches(row), "\(clause): \(row.text)")
        }
        #expect(boxed.latitudes > count * 3 / 4)
        #expect(boxed.longitudes > count / 10)
    }

    @Test func theBoxIsLittleLargerThanTheDistance() throws {
        let clause = Where.near(
            latitude: "a",
            longitude: "b",
            of: try GeoPoint(latitude: 60, longitude: 10),
            within: 111_195
        )
        guard case .distance(let distance) = clause, case .and(let parts)? = distance.box,
            case .between(_, .literal(.double(let south)), .literal(.double(let north))) = parts[0],
            case .between(_, .literal(.double(let west)), .literal(.double(let east))) = parts[1]
        else {
            Issue.record("\(clause)")
            return
        }
        #expect(abs(south - 59) < 0.001 && abs(north - 61) < 0.001)
        // A degree of longitude is half as long at 60 degrees.
        #expect(abs(west - 8) < 0.002 && abs(east - 12) < 0.002)
        for sign in [">", ">="] {
            guard case .distance(let far) = try Where("distance(a, b, 1, 2) \(sign) 5") else { continue }
            #expect(far.box == nil)
        }
    }

    @Test func aPointIsOnEarth() throws {
        #expect(throws: RemoteDataError.self) { try GeoPoint(latitude: 90.1, longitude: 0) }
        #expect(throws: RemoteDataError.self) { try GeoPoint(latitude: .nan, longitude: 0) }
        let error = #expect(throws: RemoteDataError.self) { try GeoPoint(latitude: 0, longitude: -181) }
        #expect(error?.message.contains("longitude") == true)
    }

    @Test func nothingIsWithinWhatIsNotANumber() throws {
        let point = try GeoPoint(latitude: 0, longitude: 0)
        let clause = Where.near(latitude: "lat", longitude: "lon", of: point, within: .nan)
        #expect(clause.truth(of: row("0", "0")) == .false)
        #expect(try Where(clause.description) == clause)
    }
}
