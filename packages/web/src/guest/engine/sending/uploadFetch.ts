/**
 * A `fetch` that reports how many bytes of a chunk are sent. The browser's `fetch` reports nothing before the answer,
 * which on a slow connection takes a minute. This one behaves like it as far as the client uses it for a chunk: it
 * resolves with the answer, whatever its status; it rejects with `TypeError` when there is no answer, and with the
 * signal's reason when that aborts. XMLHttpRequest follows redirects. One to another origin fails, because the page's
 * Content-Security-Policy forbids it; an answer from another path of this origin fails here.
 */
type Fetch = typeof fetch

/** The answer to a chunk is empty or a problem of a few hundred bytes. It is held in memory as a whole. */
const MAX_ANSWER_BYTES = 64 * 1024

const BODYLESS = new Set([204, 205, 304])

interface UploadFetchOptions {
  readonly fetch: Fetch
  /** Called with the bytes of the current body that are sent so far. */
  readonly onSent: (bytes: number) => void
}

/** Only chunks are sent this way; everything else uses `fetch`. */
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
    request.onload = () =>
      settle(() => {
        if (request.responseURL === new URL(url).href) resolve(responseOf(request))
        else reject(new TypeError('the chunk was redirected'))
      })
    request.onerror = () => settle(() => reject(new TypeError('the chunk did not get an answer')))
    request.onabort = () => settle(() => reject(signal?.reason ?? new TypeError('the chunk was cut')))
    signal?.addEventListener('abort', abort, { once: true })
    // Browsers hold a Blob outside of this process, but the bytes of an array inside it until the request is garbage
    // collected.
    request.send(new Blob([body]))
  })
}

function isOwnBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array && body.buffer instanceof ArrayBuffer
}

function responseOf(request: XMLHttpRequest): Response {
  const { response } = request
  // `Response` allows no status above 599, and a server may send one.
  const status = Math.min(request.status, 599)
  const body = BODYLESS.has(status) ? null : response
  return new Response(body, { status, headers: headersOf(request.getAllResponseHeaders()) })
}

/** One header a line (XMLHttpRequest, section 3.6.4). */
function headersOf(lines: string): Headers {
  const headers = new Headers()
  for (const line of lines.trim().split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim())
  }
  return headers
}
