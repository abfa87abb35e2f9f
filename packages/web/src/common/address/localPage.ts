/**
 * A page that `blindkeep pages serve` or `open` shows (decisions/local-pages.md): it asks that program, at its own
 * origin, which passes operations on to the server. It keeps keys in its memory, and what it must not forget in the
 * program.
 */
import { isObject, parseJson } from '@blindkeep/protocol/json'

/** No server has such a name: browsers keep names below `localhost` on the machine. None serves a `local.json`. */
const LOCAL_HOST = /^k[0-9a-f]{16}\.localhost$/

/** Known before anything is asked, and only by the name. */
export const isLocalPage = typeof location !== 'undefined' && LOCAL_HOST.test(location.hostname)

const TOKEN = 'X-Local-Token'
const ended = new AbortController()
let token: string | undefined

/** From now on requests have the token that pairing gave: of this start of the program, and of no use elsewhere. */
export function setLocalToken(given: string): void {
  token = given
}

/** In the page of a server: `send`. In a local page: with its token, and never again once the program has ended. */
export function throughProgram(send: typeof fetch): typeof fetch {
  if (!isLocalPage) return send
  return async (input, init = {}) => {
    ended.signal.throwIfAborted()
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set(TOKEN, token)
    return await send(input, { ...init, headers })
  }
}

export const pageFetch = throughProgram((input, init) => fetch(input, init))

/**
 * Holds a connection to the program until one of the two ends: whatever answers at its port later is not the program.
 * No answer of the server has a part in it, as one that lies would keep the page from noticing. A web socket is none
 * of the six connections of a browser. Resolves when it is held, or cannot be.
 */
export function holdProgram(): Promise<void> {
  const line = new WebSocket(`ws://${location.host}/local/line`)
  const end = () => {
    token = undefined
    ended.abort(new TypeError('the program that shows this page has ended'))
  }
  return new Promise((resolve) => {
    line.onopen = () => resolve()
    // The program is about to end. Its last answer tells the browser to delete what is stored for this origin.
    line.onmessage = async () => {
      end()
      await fetch('/local/end', { cache: 'no-store' }).catch(() => undefined)
      line.close()
    }
    line.onclose = () => {
      end()
      resolve()
    }
  })
}

export function onLocalEnd(listener: () => void): void {
  ended.signal.addEventListener('abort', listener)
}

/** JSON of the program itself: empty for what is no object. */
export async function askProgram(
  path: string,
  init: RequestInit = {},
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const answer = await pageFetch(path, { cache: 'no-store', ...init })
  const body = parseJson(await answer.text())
  return { status: answer.status, body: isObject(body) ? body : {} }
}
