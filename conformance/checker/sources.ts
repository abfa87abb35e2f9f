/** Reads what the command needs: documents of files and of a server. */
import { readFile } from 'node:fs/promises'

const DOCUMENTS_PATH = '/.well-known/service'
const ANSWER_TIMEOUT_MS = 30_000
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024

/** A source could not be read; the message says which and why. */
class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** The JSON of a file or URL. A URL is the base URL of a server, or the address of the document with this name. */
export async function readDocument(source: string, name: string): Promise<unknown> {
  const text = /^https?:\/\//.test(source) ? await fetchText(source, name) : await readFileText(source)
  try {
    const document: unknown = JSON.parse(text)
    return document
  } catch (cause) {
    throw new SourceError(`${source} is not JSON`, { cause })
  }
}

async function readFileText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new SourceError(`${path} cannot be read: ${messageOf(cause)}`, { cause })
  }
}

async function fetchText(source: string, name: string): Promise<string> {
  const base = source.replace(/\/+$/, '')
  const address = base.endsWith(`/${name}`) ? base : `${base}${DOCUMENTS_PATH}/${name}`
  try {
    const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
    if (answer.status !== 200) throw new Error(`it answers ${answer.status}`)
    return await bodyOf(answer)
  } catch (cause) {
    throw new SourceError(`${address} cannot be read: ${messageOf(cause)}`, { cause })
  }
}

async function bodyOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer.body ?? []) {
    bytes += piece.length
    if (bytes > MAX_DOCUMENT_BYTES) throw new Error(`it has more than ${MAX_DOCUMENT_BYTES} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? `${cause.message} (${cause.cause.message})` : cause.message
}
