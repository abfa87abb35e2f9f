import type { IncomingMessage } from 'node:http'
import type { Bodies } from './bodies.ts'
import type { Bucket } from './bucket.ts'

/** One request, taken apart. */
export interface Call {
  readonly request: IncomingMessage
  readonly method: string
  readonly bucketName: string
  readonly bucket: Bucket
  /** Empty for a request about the bucket. */
  readonly key: string
  readonly query: URLSearchParams
  readonly store: Store
}

/** What all buckets share. */
export interface Store {
  readonly buckets: Map<string, Bucket>
  readonly bodies: Bodies
  readonly isVersioned: boolean
  /** Looks at bodies' hashes only if true: some stores never do. */
  readonly checksHashes: boolean
  now(): number
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | AsyncIterable<Buffer>
}

export function header(call: Call, name: string): string | undefined {
  const value = call.request.headers[name]
  return typeof value === 'string' ? value : undefined
}
