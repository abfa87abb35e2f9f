/**
 * The rule of addresses: whatever a client makes, follows, or signs a proof for has the origin and the base path of
 * the address that the person gave: typed, of the page itself, or of the link that was opened. That is `serverUrl` in
 * `Calls`, and addresses are made from it alone. What a server says about its own address is compared with it, never
 * used in its place.
 */
import { LOOPBACK_HOST } from '@blindkeep/protocol/loopback'
import { plainAddressOf, type ServerAddress } from './baseUrl.ts'
import type { Call } from './callTypes.ts'
import { AddressError, type AddressSubject, AnswerError, NetworkError } from './errors.ts'

interface NamedCalls {
  readonly address: ServerAddress
  readonly serverUrl: string
  readonly call: Call
}

/**
 * The `server_id` to which proofs are bound: the origin of the address. Between loopback addresses a server may name
 * another one, as behind a forwarded port; a program on this machine gets no proof for a server elsewhere, and one that
 * passes requests on (`ServerAddress`) none for another server. Throws `AddressError` when the server names another
 * origin, and what a call throws. Asks once for each `call`.
 */
export async function serverIdOf(calls: NamedCalls): Promise<string> {
  const asked = answers.get(calls.call) ?? askServerId(calls)
  answers.set(calls.call, asked)
  try {
    return await asked
  } catch (error) {
    answers.delete(calls.call)
    throw error
  }
}

const answers = new WeakMap<Call, Promise<string>>()

async function askServerId(calls: NamedCalls): Promise<string> {
  const { given, found } = await namesOf(calls)
  const mayDiffer = calls.address.serverUrl === undefined && isLoopback(given) && isLoopback(found)
  if (found === given || mayDiffer) return found
  throw new AddressError({ given, found, about: 'proof' })
}

/**
 * Asks whether the server calls itself by the origin of its address, which is returned: its receipts count only there,
 * so ask before anything is sent. Throws `AddressError` for another name, which is no proof of a lie: the server may
 * have moved, or have several addresses. Throws what a call throws, too.
 */
export async function requireOwnName(calls: NamedCalls, about: AddressSubject): Promise<string> {
  const { given, found } = await namesOf(calls)
  if (found !== given) throw new AddressError({ given, found, about })
  return given
}

async function namesOf({ serverUrl, call }: NamedCalls): Promise<{ readonly given: string; readonly found: string }> {
  const { server_id: found } = (await call('serverInfo')).body
  if (originOf(found) !== found) throw new AnswerError('serverInfo', 'its server_id is no origin')
  return { given: new URL(serverUrl).origin, found }
}

/**
 * Throws `NetworkError` `redirected` for a redirect, and for an answer after one that `fetch` has followed. `url` was
 * asked; `given` is the origin that the person knows.
 */
export function refuseRedirect(
  answer: Response,
  { url, given }: { readonly url: string; readonly given: string },
): void {
  const isRedirect =
    answer.type === 'opaqueredirect' || (answer.status >= 300 && answer.status < 400 && answer.status !== 304)
  if (!isRedirect && !answer.redirected) return
  answer.body?.cancel().catch(() => undefined)
  const to = isRedirect ? (answer.headers.get('Location') ?? '') : answer.url
  throw new NetworkError('redirected', undefined, { given, found: originOf(to, url) })
}

/** Never more than the origin, as a path may be a credential. */
function originOf(text: string, base?: string): string | undefined {
  const url = text === '' || !URL.canParse(text, base) ? undefined : new URL(text, base)
  return plainAddressOf(url?.origin)
}

const isLoopbackHost = new RegExp(`^(?:${LOOPBACK_HOST})$`)

/** The parser of `URL` has already brought addresses of all spellings into one form. */
function isLoopback(origin: string): boolean {
  return isLoopbackHost.test(new URL(origin).hostname)
}
