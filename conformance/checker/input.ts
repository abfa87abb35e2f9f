/**
 * Receipts as people hold them: JSON Lines or one JSON document of AssetReceipt objects, of receipt_cbor texts (bare base64 in a line too),
 * of arrays of them, or of whole answers of `GET /v1/assets/{asset_id}/receipts`. Lines are read one by one, so a log may be of any length.
 */
import { isObject } from './keys.ts'

/** Of a line, and of a document that is not made of lines. */
const MAX_CHARACTERS = 256 * 1024 * 1024
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** An answer that lists the receipts of an asset, in receipt_seq order. */
export interface Answer {
  readonly assetId: string
}

export interface Item {
  /** The JSON of one receipt, as parsed: an object or a text of base64. */
  readonly value: unknown
  /** The same object for all receipts of one answer. */
  readonly answer?: Answer
  /** Set instead of a value when there was none to read. */
  readonly unreadable?: string
}

class InputError extends Error {
  override readonly name = 'InputError'
}

type Chunks = AsyncIterable<string | Uint8Array>

/** Throws `InputError` for more than can be held. */
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

/** The first line was no JSON by itself: either all of it together is, or it is lines of which the first is broken. */
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
  if (isObject(value) && Array.isArray(value.receipts) && typeof value.asset_id === 'string') {
    const answer = { assetId: value.asset_id }
    const receipts: readonly unknown[] = value.receipts
    return receipts.map((receipt) => ({ value: receipt, answer }))
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

const tooLong = () => new InputError(`a line, or a document, of more than ${MAX_CHARACTERS} characters`)
