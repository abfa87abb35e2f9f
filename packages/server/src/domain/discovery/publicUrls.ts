/** What the server notes of its own addresses: the present one, those before its moves, and an announced one. */
import { equalBytes, utf8 } from '@blindkeep/protocol/bytes'
import { formatInstant, type Instant, parseInstant } from '@blindkeep/protocol/ids'
import { KeyChangeError } from '@blindkeep/protocol/keyChange'
import { type Keyring, WrongMasterSecret } from '../../ports/keyring.ts'
import type { ReadTx, Store, WriteTx } from '../../ports/store.ts'
import { signedChanges } from './signedChanges.ts'

export interface AnnouncedMove {
  /** The origin that the server will have. */
  readonly serverId: string
  readonly on: Instant
}

/** The whole PUBLIC_URL of the last start. Undefined before the first one of this release. */
export async function publicUrlIn(tx: Pick<ReadTx, 'server'>): Promise<string | undefined> {
  const text = textOf(await tx.server.fact('public_url'))
  if (text === undefined || isAddress(text)) return text
  throw new Error('the fact public_url is no address')
}

/** For each start. `publicUrl` without a slash at the end. */
export async function recordPublicUrl(store: Store, publicUrl: string): Promise<void> {
  const given = utf8(publicUrl)
  await store.write(['server'], async (tx) => {
    const written = await tx.server.fact('public_url')
    if (written === undefined || !equalBytes(written, given)) await tx.server.setFact('public_url', given)
  })
}

/** Of an address whose path is not known: other applications may live there, so nothing that is theirs is cleared. */
export const ANY_PATH = '/*'

/** The whole PUBLIC_URLs before each move, oldest first; the path `ANY_PATH` for one that was not noted. */
export async function formerUrls(tx: Pick<ReadTx, 'server'>): Promise<readonly string[]> {
  const written = jsonOf(textOf(await tx.server.fact('former_urls')) ?? '[]')
  if (!Array.isArray(written) || !written.every(isAddress))
    throw new Error('the fact former_urls is no list of addresses')
  return written
}

/** The names of the moves of which no former address is noted, and the noted addresses that no move has left. */
export async function former(
  tx: Pick<ReadTx, 'server' | 'keys'>,
): Promise<{ readonly missing: readonly string[]; readonly surplus: readonly string[] }> {
  const noted = (await formerUrls(tx)).map((url) => ({ url, name: new URL(url).origin }))
  const left = await namesLeft(tx)
  return {
    missing: (left ?? []).filter((name) => !noted.some((each) => each.name === name)),
    surplus: noted.flatMap(({ url, name }) => (left === undefined || left.includes(name) ? [] : [url])),
  }
}

/** For a repair: what can be read of the list, and what moves have left, stays. False if the list was right. */
export async function completeFormerUrls(tx: WriteTx): Promise<boolean> {
  const present = textOf(await tx.server.fact('former_urls'))
  const written = jsonOf(present ?? '[]')
  const left = await namesLeft(tx)
  const readable = Array.isArray(written) ? written.filter(isAddress) : []
  const noted = readable.filter((url) => left === undefined || left.includes(new URL(url).origin))
  const origins = noted.map((url) => new URL(url).origin)
  const missing = (left ?? []).filter((name) => !origins.includes(name))
  const complete = [...missing.map((name) => name + ANY_PATH), ...noted]
  if (JSON.stringify(complete) === (present ?? '[]')) return false
  await tx.server.setFact('former_urls', formerUrlsFact(complete))
  return true
}

/** Whether the noted address is of another name than the server's. */
export async function isPublicUrlForeign(tx: Pick<ReadTx, 'server'>): Promise<boolean> {
  const [noted, serverId] = [await publicUrlIn(tx), textOf(await tx.server.fact('server_id'))]
  return noted !== undefined && serverId !== undefined && new URL(noted).origin !== serverId
}

/** For a repair. False if it is right. */
export async function forgetPublicUrl(tx: WriteTx): Promise<boolean> {
  const text = textOf(await tx.server.fact('public_url'))
  if (text === undefined || (isAddress(text) && !(await isPublicUrlForeign(tx)))) return false
  await tx.server.removeFact('public_url')
  return true
}

/** All names that the server has had, and its present one. */
export async function namesIn(tx: Pick<ReadTx, 'server' | 'keys'>): Promise<readonly string[]> {
  const present = textOf(await tx.server.fact('server_id'))
  return [...((await namesLeft(tx)) ?? []), ...(present === undefined ? [] : [present])]
}

/** Undefined of a list with a statement that cannot be read. */
async function namesLeft(tx: Pick<ReadTx, 'keys'>): Promise<readonly string[] | undefined> {
  try {
    return [...new Set((await signedChanges(tx)).moves.map(({ change }) => change.from))]
  } catch (error) {
    if (error instanceof KeyChangeError) return undefined
    throw error
  }
}

/** An address that the server has had twice counts once, as the later one. */
export function formerUrlsFact(urls: readonly string[]): Uint8Array {
  return utf8(JSON.stringify(urls.filter((url, at) => urls.lastIndexOf(url) === at)))
}

/** Where a server is that announces a move: what it announced before it got there does not count any more. */
export interface Whereabouts {
  readonly serverId: string
  /** How many moves led there. */
  readonly moves: number
}

export async function whereabouts(tx: Pick<ReadTx, 'keys'>, serverId: string): Promise<Whereabouts> {
  return { serverId, moves: (await signedChanges(tx)).moves.length }
}

/**
 * The fact `moves_to`. Sealed under the master secret: pages show it to owners, and a thief of the database alone must
 * not make one. Undefined if no move is announced, and for what the master secret does not vouch for here.
 */
export function announcedMove(
  sealed: Uint8Array | undefined,
  { open }: Pick<Keyring, 'open'>,
  here: Whereabouts,
): AnnouncedMove | undefined {
  if (sealed === undefined) return undefined
  const { server_id: serverId, on } = Object(jsonOf(opened(sealed, open, sealName(here))))
  const at = typeof on === 'string' ? parseInstant(on) : undefined
  return isAddress(serverId) && new URL(serverId).origin === serverId && at !== undefined
    ? { serverId, on: at }
    : undefined
}

export function announcedMoveFact(
  { serverId, on }: AnnouncedMove,
  { seal }: Pick<Keyring, 'seal'>,
  here: Whereabouts,
): Uint8Array {
  return seal(sealName(here), utf8(JSON.stringify({ server_id: serverId, on: formatInstant(on) })))
}

/** Part of the stored form. */
const sealName = ({ serverId, moves }: Whereabouts) => `moves-to ${moves} ${serverId}`

function opened(sealed: Uint8Array, open: Keyring['open'], name: string): string | undefined {
  try {
    return textOf(open(name, sealed))
  } catch (error) {
    if (!(error instanceof WrongMasterSecret)) throw error
    return undefined
  }
}

const textOf = (written: Uint8Array | undefined) => written && new TextDecoder().decode(written)

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined
  }
}

/** As `publicAddressOf` gives it. */
function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { origin, protocol, pathname } = new URL(value)
  return ['http:', 'https:'].includes(protocol) && value === origin + pathname.replace(/\/+$/, '')
}
