/** What the server notes of its own addresses: the present one, those before its moves, and an announced one. */
import { equalBytes, utf8 } from '@blindkeep/protocol/bytes'
import { formatInstant, type Instant, parseInstant } from '@blindkeep/protocol/ids'
import type { ReadTx, Store } from '../../ports/store.ts'

export interface AnnouncedMove {
  /** The origin that the server will have. */
  readonly serverId: string
  readonly on: Instant
}

/** A fact has another form than the server writes. */
export class MalformedFact extends Error {}

/** The whole PUBLIC_URL of the last start. Undefined before the first one of this release. */
export async function publicUrlIn(tx: Pick<ReadTx, 'server'>): Promise<string | undefined> {
  const text = textOf(await tx.server.fact('public_url'))
  if (text === undefined || isAddress(text)) return text
  throw new MalformedFact('the fact public_url is no address')
}

/** For each start. `publicUrl` without a slash at the end. */
export async function recordPublicUrl(store: Store, publicUrl: string): Promise<void> {
  const given = utf8(publicUrl)
  await store.write(['server'], async (tx) => {
    const written = await tx.server.fact('public_url')
    if (written === undefined || !equalBytes(written, given)) await tx.server.setFact('public_url', given)
  })
}

/** The whole PUBLIC_URLs before each move, oldest first. */
export async function formerUrls(tx: Pick<ReadTx, 'server'>): Promise<readonly string[]> {
  const written = jsonOf(textOf(await tx.server.fact('former_urls')) ?? '[]')
  if (!Array.isArray(written) || !written.every(isAddress))
    throw new MalformedFact('the fact former_urls is no list of addresses')
  return written
}

/** An address that the server has had twice counts once, as the later one. */
export function formerUrlsFact(urls: readonly string[]): Uint8Array {
  return utf8(JSON.stringify(urls.filter((url, at) => urls.lastIndexOf(url) === at)))
}

/** Undefined if no move is announced. */
export async function announcedMove(tx: Pick<ReadTx, 'server'>): Promise<AnnouncedMove | undefined> {
  const text = textOf(await tx.server.fact('moves_to'))
  if (text === undefined) return undefined
  const { server_id: serverId, on } = Object(jsonOf(text))
  const at = typeof on === 'string' ? parseInstant(on) : undefined
  if (!isAddress(serverId) || new URL(serverId).origin !== serverId || at === undefined)
    throw new MalformedFact('the fact moves_to is no announcement')
  return { serverId, on: at }
}

export function announcedMoveFact({ serverId, on }: AnnouncedMove): Uint8Array {
  return utf8(JSON.stringify({ server_id: serverId, on: formatInstant(on) }))
}

const textOf = (written: Uint8Array | undefined) => written && new TextDecoder().decode(written)

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
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
