import Foundation
import RemoteData
import RemoteDataNetwork
import Testing

@testable import RemoteDataBackends

/// Answers as Kinto 26.5.0 gives them.
@Suite struct KintoProblemTests {
    private func error(_ status: Int, _ body: String, _ headers: HTTPHeaders = [:]) -> RemoteDataError {
        .kinto(
            HTTPResponse(status: status, headers: headers, body: Array(body.utf8)),
            "a row of people",
            now: Date()
        )
    }

    @Test(arguments: [
        (
            400,
            #"{"code":400,"errno":107,"error":"Invalid parameters","message":"_limit in querystring: no","details":[{"location":"querystring","name":"_limit","description":"no"}]}"#,
            RemoteDataError.Code.invalidRequest
        ),
        (
            400,
            #"{"code":400,"errno":107,"error":"Invalid parameters","message":"title in body: 3 is not of type 'string'","details":[{"location":"body","name":"title","description":"3 is not of type 'string'"}]}"#,
            .invalidRow
        ),
        (
            401,
            #"{"code":401,"errno":104,"error":"Unauthorized","message":"Please authenticate yourself to use this endpoint."}"#,
            .unauthorized
        ),
        (
            403,
            #"{"code":403,"errno":121,"error":"Forbidden","message":"This user cannot access this resource."}"#,
            .forbidden
        ),
        (
            404,
            #"{"code":404,"errno":110,"error":"Not Found","details":{"id":"d","resource_name":"record"}}"#,
            .notFound
        ),
        (
            405,
            #"{"code":405,"errno":115,"error":"Method Not Allowed","message":"Method not allowed on this endpoint."}"#,
            .rejected
        ),
        (
            409,
            #"{"code":409,"errno":122,"error":"Conflict","message":"Integrity constraint violated, please retry."}"#,
            .unavailable
        ),
        (410, #"{"code":410,"errno":202,"error":"Gone","message":"bye"}"#, .rejected),
        (
            412,
            #"{"code":412,"errno":114,"error":"Precondition Failed","message":"Resource was modified meanwhile"}"#,
            .conflict
        ),
        (404, "404 page not found", .invalidAnswer),
        (413, "Request Entity Too Large", .tooLarge), (431, "Request Header Fields Too Large", .tooLarge),
        (429, #"{"code":429,"errno":117,"error":"Too Many Requests"}"#, .rateLimited),
        (
            500,
            #"{"code":500,"errno":999,"error":"Internal Server Error","message":"A programmatic error occured."}"#,
            .unavailable
        ),
        (
            503,
            #"{"code":503,"errno":201,"error":"Service Unavailable","message":"Service temporary unavailable."}"#,
            .unavailable
        ),
        (307, "", .invalidAnswer),
    ])
    func refusalsAreToldApart(status: Int, body: String, code: RemoteDataError.Code) {
        #expect(error(status, body).code == code)
        #expect(error(status, body).status == status)
    }

    @Test func theServersOwnWordsArePassedOnOnceAndOnOneLine() {
        let words = error(
            400,
            #"{"errno":107,"message":"title in body: no\u0007\nstring","details":[{"location":"body","description":"no"}]}"#
        ).message
        #expect(words == "Kinto refuses a row of people (400): title in body: no string")
        let others = error(
            400,
            #"{"errno":107,"message":"Bad.","details":[{"location":"body","description":"Other."}]}"#
        ).message
        #expect(others == "Kinto refuses a row of people (400): Bad. Other.")
        #expect(
            error(404, #"{"errno":111,"details":{"id":"x","resource_name":"collection"}}"#).message.hasSuffix(
                "there is no such collection."
            )
        )
    }

    @Test func whyAServerIsClosedIsPassedOn() {
        let headers: HTTPHeaders = ["Alert": #"{"code":"hard-eol","message":"It is over.","url":"http://x"}"#]
        #expect(
            error(410, #"{"errno":202,"message":"Gone."}"#, headers).message.hasSuffix(
                "(410): Gone. It is over."
            )
        )
        #expect(
            error(410, #"{"errno":202,"message":"Gone."}"#, ["Alert": "x"]).message.hasSuffix("(410): Gone.")
        )
    }

    @Test func aWishToWaitIsPassedOn() {
        #expect(error(503, "{}", ["Retry-After": "3"]).retryAfter == .seconds(3))
    }

    @Test func whatIsThereAlreadyIsFound() throws {
        let body = #"{"code":412,"errno":114,"details":{"existing":{"id":"a","n":1}}}"#
        let problem = try #require(KintoProblem(HTTPResponse(status: 412, body: Array(body.utf8))))
        #expect(problem.existing.map { Array($0) } == Array(#"{"id":"a","n":1}"#.utf8))
        #expect(!problem.isMissingRow && !problem.isCollision)
    }
}
