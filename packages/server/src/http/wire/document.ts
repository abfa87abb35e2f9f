/**
 * Documents that are the same for all. Each is written once, and its readers share its bytes: a reader that is slow, or
 * has sent many requests ahead, holds no memory of its own, so none of it counts (`budget.ts`).
 */
import { hash } from 'node:crypto'

/** A longer text is sent in pieces. */
export const SHORT_TEXT_BYTES = 64 * 1024

/** A text, or the bytes of a long one in pieces. */
export interface Written {
  readonly text: string | readonly Buffer[]
  /** In bytes. */
  readonly length: number
}

export interface Document extends Written {
  readonly etag: string
}

export function documentOf(text: string): Document {
  const bytes = Buffer.from(text)
  const etag = `"${hash('sha256', bytes, 'base64url')}"`
  return { text: bytes.length > SHORT_TEXT_BYTES ? [bytes] : text, length: bytes.length, etag }
}

/** A body stays the same object until its content changes (`routes/discovery.ts`). */
const written = new WeakMap<object, Document>()

export function documentFrom(body: object): Document {
  const document = written.get(body) ?? documentOf(JSON.stringify(body))
  written.set(body, document)
  return document
}
