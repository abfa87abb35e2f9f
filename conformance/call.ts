import type { IncomingHttpHeaders } from 'node:http'

/** A request of the suite. */
export interface Call {
  readonly method: string
  /** Relative to the base URL, with its query. */
  readonly path: string
  /** Access token, sent as `Authorization: Bearer`. */
  readonly token?: string | undefined
  /** Sent as application/json. */
  readonly json?: unknown
  /** Sent unchanged. */
  readonly body?: Uint8Array | string | undefined
  /** Override the headers that follow from the other members. `undefined` omits a header, a list repeats it. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Sends the body chunked, without Content-Length. */
  readonly withoutLength?: boolean
}

/** An answer, its body read in full. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** In the order of the answer: name, value, name, value. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

/** The JSON of an answer. The caller names its shape; `client.ts` has checked it against the schema. */
export function json<Shape>(reply: Reply): Shape {
  const parsed: Shape = JSON.parse(reply.body.toString())
  return parsed
}
