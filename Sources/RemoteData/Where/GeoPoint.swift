import Foundation

/// A point on Earth.
public struct GeoPoint: Hashable, Sendable {
    /// Earth's mean radius in metres (IUGG: a third of two equatorial radii and one polar).
    public static let earthRadius = 6_371_008.8

    /// Degrees north of the equator, from -90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich, from -180 to 180.
    public let longitude: Double

    /// Creates a point.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidClause` for degrees that are not on Earth.
    public init(latitude: Double, longitude: Double) throws(RemoteDataError) {
        guard let point = Self(checking: latitude, longitude) else {
            let problem =
                Self.isLatitude(latitude) ? "longitude lies beyond -180 and 180" : Self.latitudeProblem
            throw RemoteDataError(.invalidClause, "The point is not on Earth: its \(problem).")
        }
        self = point
    }

    /// A point from degrees as they come; nil when they are not on Earth.
    init?(checking latitude: Double, _ longitude: Double) {
        guard Self.isLatitude(latitude), Self.isLongitude(longitude) else { return nil }
        (self.latitude, self.longitude) = (latitude, longitude)
    }

    private static let latitudeProblem = "latitude lies beyond -90 and 90"

    static func isLatitude(_ degrees: Double) -> Bool { degrees >= -90 && degrees <= 90 }

    static func isLongitude(_ degrees: Double) -> Bool { degrees >= -180 && degrees <= 180 }

    /// How far another point is in metres, along the surface of a sphere of ``earthRadius``.
    ///
    /// By the haversine formula (R. W. Sinnott, "Virtues of the Haversine", 1984), which is good for small distances; Earth
    /// is no sphere, so that the true distance differs by up to half a percent. The last digits may differ between systems.
    /// - Complexity: O(1).
    public func distance(to other: GeoPoint) -> Double {
        let (first, second) = (latitude.inRadians, other.latitude.inRadians)
        let height = sin((second - first) / 2)
        let width = sin((other.longitude - longitude).inRadians / 2)
        let haversine = height * height + cos(first) * cos(second) * width * width
        return 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
    }

    /// Degrees between which all points lie that are not farther than some metres; a little more than that.
    ///
    /// - Returns: Nil for the longitudes where a pole is within reach or they cross the date line.
    func reach(of metres: Double) -> (latitudes: ClosedRange<Double>, longitudes: ClosedRange<Double>?)? {
        // Rounding moves what is near an antipode by less than a metre.
        let (slack, roundness) = (1e-5, 1e-7)
        let angle = metres / Self.earthRadius + roundness
        guard angle >= 0, angle < .pi else { return nil }
        let height = angle.inDegrees + slack
        let latitudes = max(-90, latitude - height)...min(90, latitude + height)
        guard latitudes.lowerBound > -90, latitudes.upperBound < 90 else { return (latitudes, nil) }
        // Jan Philip Matuschek, "Finding Points Within a Distance of a Latitude/Longitude Using Bounding Coordinates".
        let width = asin(min(1, sin(angle) / cos(latitude.inRadians))).inDegrees + slack
        let (west, east) = (longitude - width, longitude + width)
        return (latitudes, west > -180 && east < 180 ? west...east : nil)
    }
}

extension Double {
    fileprivate var inRadians: Double { self * .pi / 180 }
    fileprivate var inDegrees: Double { self * 180 / .pi }
}
