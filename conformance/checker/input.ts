/**
 * Reads receipts from JSON Lines or one JSON document: AssetReceipt objects, receipt_cbor texts (also as plain base64
 * lines), arrays of them, whole answers of `GET /v1/assets/{asset_id}/receipts`, or what else has such `receipts`. It
 * reads line by line, so a log may have any length.
 */
import { isObject } from './keys.ts'

/** Of one line, or of one document over several lines. */
const MAX_CHARACTERS = 256 * 1024 * 1024
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** An answer that lists the receipts of an asset, in receipt_seq order. */
export interface Answer {
  readonly assetId: string
}

export interface Item {
  /** The parsed JSON of one receipt: an object or a base64 text. */
  readonly value: unknown
  /** The same object for all receipts of one answer. */
  readonly answer?: Answer
  /** Why the item could not be read; then there is no value. */
  readonly unreadable?: string
}

class InputError extends Error {
  override readonly name = 'InputError'
}

type Chunks = AsyncIterable<string | Uint8Array>

/** Throws `InputError` when a line or document is too long. */
export async function* readItems(chunks: Chunks): AsyncGenerator<Item> {
  const lines = linesOf(chunks)
  const head: string[] = []
  let characters = 0
  for await (const line of lines) {
    if (line.trim() === '') continue
    if (head.length === 0) {
      const value = parseLine(line)
      if (value !== undefined) {
        yield* itemsOf(value.parsed)
        yield* itemsOfLines(lines)
        return
      }
    }
    head.push(line)
    characters += line.length
    if (characters > MAX_CHARACTERS) throw tooLong()
  }
  if (head.length > 0) yield* itemsOfDocument(head)
}

async function* itemsOfLines(lines: AsyncIterable<string>): AsyncGenerator<Item> {
  for await (const line of lines) {
    if (line.trim() === '') continue
    const value = parseLine(line)
    if (value === undefined) yield { value: undefined, unreadable: 'this line is neither JSON nor base64' }
    else yield* itemsOf(value.parsed)
  }
}

/** For a first line that is no JSON: all lines are one document, or the first is broken. */
function itemsOfDocument(lines: readonly string[]): readonly Item[] {
  const whole = parseLine(lines.join('\n'))
  if (whole !== undefined) return itemsOf(whole.parsed)
  return lines.flatMap((line) => {
    const value = parseLine(line)
    return value === undefined
      ? [{ value: undefined, unreadable: 'this line is neither JSON nor base64' }]
      : itemsOf(value.parsed)
  })
}

function parseLine(text: string): { readonly parsed: unknown } | undefined {
  const trimmed = text.trim()
  if (BASE64.test(trimmed) && !/^\d+$/.test(trimmed)) return { parsed: trimmed }
  try {
    const parsed: unknown = JSON.parse(trimmed)
    return { parsed }
  } catch {
    return undefined
  }
}

function itemsOf(value: unknown): readonly Item[] {
  if (Array.isArray(value)) return value.flatMap(itemsOf)
  if (isObject(value) && Array.isArray(value.receipts)) {
    const answer = typeof value.asset_id === 'string' ? { answer: { assetId: value.asset_id } } : {}
    const receipts: readonly unknown[] = value.receipts
    return receipts.map((receipt) => ({ value: receipt, ...answer }))
  }
  return [{ value }]
}

async function* linesOf(chunks: Chunks): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pending: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const [first = '', ...others] = text.split('\n')
    pending.push(first)
    length += first.length
    if (length > MAX_CHARACTERS) throw tooLong()
    for (const other of others) {
      yield pending.join('')
      pending = [other]
      length = other.length
    }
  }
  yield pending.join('') + decoder.decode()
}

const tooLong = () => new InputError(`a line or document has more than ${MAX_CHARACTERS} characters`)
