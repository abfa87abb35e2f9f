/** The links for guests: one of each kind at a time, and a new one as soon as the last is full, spent or revoked. */
import { type Api, jsonOf, pause } from './api.ts'
import type { Attempt, Ledger, Link, Owner } from './ledger.ts'
import type { Random } from './random.ts'
import { isRefusedForSpace } from './uploadRules.ts'

export interface Pool {
  /** Sessions that a guest left unfinished. */
  readonly abandoned: Attempt[]
  take(random: Random): Promise<Link>
}

const MEBIBYTE = 1024 * 1024
const SPACE_PAUSE_MS = 50

export type Caps = Pick<Link, 'singleUse' | 'maxFileCount' | 'maxFileSize' | 'maxTotalBytes'>

const KINDS: readonly ((random: Random) => Caps)[] = [
  () => ({ singleUse: false }),
  (random) => ({ singleUse: false, maxFileCount: random.integer(3, 25) }),
  (random) => ({ singleUse: false, maxTotalBytes: random.integer(MEBIBYTE, 60 * MEBIBYTE) }),
  (random) => ({ singleUse: false, maxFileSize: random.integer(1, 10 * MEBIBYTE), maxFileCount: 40 }),
  () => ({ singleUse: true }),
  () => ({ singleUse: true }),
]

interface PoolPorts {
  readonly api: Api
  readonly ledger: Ledger
  readonly isDiskTroubled: () => boolean
}

export function createPool(ports: PoolPorts & { readonly owners: readonly Owner[] }, random: Random): Pool {
  const slots: (Promise<Link> | undefined)[] = KINDS.map(() => undefined)
  let made = 0

  async function current(slot: number): Promise<Link> {
    const present = await slots[slot]
    if (present !== undefined && !present.isRetired) return present
    // Another guest may have made one meanwhile.
    const other = slots[slot]
    if (other !== undefined && (await other) !== present) return current(slot)
    const kind = KINDS[slot]
    if (kind === undefined) throw new Error('no such kind of link')
    const own = random.fork(`link ${made++}`)
    const provisioned = provision(ports, own, { owner: own.pick(ports.owners), ...kind(own) })
    slots[slot] = provisioned
    return provisioned
  }

  return { abandoned: [], take: (own) => current(own.integer(0, KINDS.length - 1)) }
}

/** Provisions a link and adds it to the ledger. */
export async function provision(
  ports: PoolPorts,
  random: Random,
  caps: Caps & { readonly owner: Owner },
): Promise<Link> {
  const { api, ledger } = ports
  const link: Link = { opaqueId: random.hex(16), revoked: 'no', isRetired: false, attempts: [], ...caps }
  const ask = () =>
    api.askUntilAnswered({
      method: 'POST',
      path: '/v1/drops/links',
      token: link.owner.token,
      json: {
        opaque_id: link.opaqueId,
        drop_pubkey: Buffer.alloc(1216, 3).toString('base64'),
        crypto_suite_id: 1,
        single_use: link.singleUse,
        ...(link.maxFileCount !== undefined && { max_file_count: link.maxFileCount }),
        ...(link.maxFileSize !== undefined && { max_file_size: link.maxFileSize }),
        ...(link.maxTotalBytes !== undefined && { max_total_bytes: link.maxTotalBytes }),
      },
    })
  let reply = await ask()
  for (; isRefusedForSpace(ports, reply); reply = await ask()) await pause(SPACE_PAUSE_MS)
  const isMade = reply.status === 201 && jsonOf<{ opaque_id: string }>(reply).opaque_id === link.opaqueId
  if (!isMade) throw new Error(`a link was answered ${reply.status} ${reply.code}`)
  ledger.links.push(link)
  return link
}
