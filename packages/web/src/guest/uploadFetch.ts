/**
 * A sender of chunks that tells how much of a body has gone: `fetch` tells nothing before the answer, which on a slow line is a minute without a sign.
 * The contract is that of `fetch` as far as the client uses it for a chunk: resolves with the answer, whatever its status; rejects with `TypeError` when
 * there is none, and with the signal's reason when that aborts. It follows no redirect to another origin: the page's Content-Security-Policy forbids it.
 */
type Fetch = typeof fetch

/** The answer to a chunk is empty or a problem of a few hundred bytes; this one gathers all of it in memory. */
const MAX_ANSWER_BYTES = 64 * 1024

const BODYLESS = new Set([204, 205, 304])

export interface UploadFetchOptions {
  readonly fetch: Fetch
  /** Of the body that is on its way, in bytes. */
  readonly onSent: (bytes: number) => void
}

/** Everything but a chunk goes through `fetch`. */
export function createUploadFetch({ fetch, onSent }: UploadFetchOptions): Fetch {
  return (input, init) =>
    init?.method === 'PATCH' && isOwnBytes(init.body) && typeof input === 'string'
      ? upload(input, { ...init, body: init.body }, onSent)
      : fetch(input, init)
}

function upload(
  url: string,
  { headers, body, signal }: RequestInit & { readonly body: Uint8Array<ArrayBuffer> },
  onSent: (bytes: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    const settle = (finish: () => void) => {
      signal?.removeEventListener('abort', abort)
      finish()
    }
    request.open('PATCH', url)
    request.responseType = 'arraybuffer'
    new Headers(headers).forEach((value, name) => {
      request.setRequestHeader(name, value)
    })
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onprogress = ({ loaded }) => loaded > MAX_ANSWER_BYTES && request.abort()
    request.onload = () => settle(() => resolve(responseOf(request)))
    request.onerror = () => settle(() => reject(new TypeError('the chunk did not get an answer')))
    request.onabort = () => settle(() => reject(signal?.reason ?? new TypeError('the chunk was cut')))
    signal?.addEventListener('abort', abort, { once: true })
    // A copy of its own, which a browser keeps outside of this process; of bytes it keeps them inside until its collector has looked at the request.
    request.send(new Blob([body]))
  })
}

function isOwnBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array && body.buffer instanceof ArrayBuffer
}

function responseOf(request: XMLHttpRequest): Response {
  const { response } = request
  // A `Response` can have no status above 599, though a server may send one: it is as broken as a server gets.
  const status = Math.min(request.status, 599)
  const body = BODYLESS.has(status) ? null : response
  return new Response(body, { status, headers: headersOf(request.getAllResponseHeaders()) })
}

/** One line each, as XMLHttpRequest gives them (section 3.6.4). */
function headersOf(lines: string): Headers {
  const headers = new Headers()
  for (const line of lines.trim().split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim())
  }
  return headers
}
