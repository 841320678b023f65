import RemoteDataNetwork
import Testing

@Suite struct HTTPHeadersTests {
    @Test(arguments: ["content-type", "Content-Type", "CONTENT-TYPE"])
    func aNameIsFoundInAnyCase(name: String) {
        let headers: HTTPHeaders = ["Content-Type": "text/plain"]
        #expect(headers[name] == "text/plain")
        #expect(headers["Content-Typ"] == nil)
    }

    @Test func fieldsKeepTheirOrder() {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        headers.add("a", "3")
        #expect(headers.fields.map(\.value) == ["1", "2", "3"])
        #expect(headers.values("A") == ["1", "3"])
    }

    @Test func settingReplacesEveryFieldOfTheName() {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        headers.add("a", "3")
        headers["A"] = "4"
        #expect(headers.fields.map(\.name) == ["A", "B"])
        #expect(headers["a"] == "4")
        headers["b"] = nil
        #expect(headers.fields.map(\.name) == ["A"])
        headers["C"] = "5"
        #expect(headers.fields.map(\.value) == ["4", "5"])
    }

    @Test func lettersThatOnlyLookAlikeAreOtherNames() {
        let headers: HTTPHeaders = ["K": "1", "[": "2"]
        #expect(headers["\u{212A}"] == nil)
        #expect(headers["{"] == nil)
    }
}
