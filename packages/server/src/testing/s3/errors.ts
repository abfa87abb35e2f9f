/** Status of each error code that the double answers, as the published list of S3 has them. */
const STATUSES = {
  AccessDenied: 403,
  BadDigest: 400,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  ExpiredToken: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidDigest: 400,
  InvalidObjectState: 403,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidToken: 400,
  MalformedXML: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  XAmzContentSHA256Mismatch: 400,
} as const

export type S3Code = keyof typeof STATUSES

/** What the double refuses. The server answers it as XML, without a body for HEAD. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly code: S3Code
  readonly status: number

  constructor(code: S3Code, message: string = code) {
    super(message)
    this.code = code
    this.status = STATUSES[code]
  }
}
