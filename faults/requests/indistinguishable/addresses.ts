/** Whether an address was ever a link's or share's, by time: dead and unknown ones, for each operation. */
import { randomBytes, randomUUID } from 'node:crypto'
import { newAuthor } from '../../../conformance/assetWorld.ts'
import type { Client } from '../../../conformance/client.ts'
import { endShare, share } from '../../../conformance/sharing.ts'
import { base64, declaration, newLink, newOpaqueId, provision, revoke, sha256 } from '../../../conformance/world.ts'
import type { Random } from '../../harness/random.ts'
import { overOneConnection } from './timed.ts'
import { MAX_T, medianOf, type Welch, welch } from './welch.ts'

const WARM_UP_ROUNDS = 200
/** As many dead ones as unknown ones: an address that is asked for again costs less than a new one. */
const ADDRESSES = 4
const HASH = sha256(randomBytes(1))

interface Operation {
  readonly name: string
  readonly of: 'link' | 'share'
  readonly ask: (opaqueId: string) => readonly [method: string, path: string, body?: unknown]
}

const OPERATIONS: readonly Operation[] = [
  { name: 'a link', of: 'link', ask: (id) => ['GET', `/d/${id}`] },
  { name: 'a drop through a link', of: 'link', ask: (id) => ['POST', `/d/${id}`, declaration(Buffer.from('x'))] },
  { name: 'a session of a link', of: 'link', ask: (id) => ['HEAD', `/d/${id}/${randomUUID()}`] },
  { name: 'a share', of: 'share', ask: (id) => ['GET', `/s/${id}`] },
  { name: 'a blob of a share', of: 'share', ask: (id) => ['GET', `/s/${id}/blob/${HASH}`] },
]

export interface AddressReport {
  readonly faults: readonly string[]
  readonly times: Readonly<Record<string, Welch & { readonly deadMs: number; readonly unknownMs: number }>>
}

interface Asking {
  readonly client: Client
  readonly url: string
  readonly samples: number
  readonly random: Random
}

export async function askForAddresses({ client, url, samples, random }: Asking): Promise<AddressReport> {
  const dead = { link: await deadLinks(client), share: await deadShares(client) }
  const unknown = Array.from({ length: ADDRESSES }, newOpaqueId)
  const measured = new Map(OPERATIONS.map(({ name }) => [name, { dead: [] as number[], unknown: [] as number[] }]))
  await overOneConnection(url, async (ask) => {
    for (let round = 0; round < samples + WARM_UP_ROUNDS; round += 1)
      for (const operation of OPERATIONS)
        for (const kind of random.fraction() < 0.5 ? (['dead', 'unknown'] as const) : (['unknown', 'dead'] as const)) {
          const opaqueId = random.pick(kind === 'dead' ? dead[operation.of] : unknown)
          const { reply, ms } = await ask(...operation.ask(opaqueId))
          if (reply.status !== 404) throw new Error(`${operation.name} was answered ${reply.status}`)
          if (round >= WARM_UP_ROUNDS) measured.get(operation.name)?.[kind].push(ms)
        }
  })
  return reportOf(measured)
}

function reportOf(
  measured: ReadonlyMap<string, { readonly dead: number[]; readonly unknown: number[] }>,
): AddressReport {
  const faults: string[] = []
  const times: Record<string, AddressReport['times'][string]> = {}
  for (const [name, { dead, unknown }] of measured) {
    const { t, tCropped } = welch(dead, unknown)
    times[name] = { t, tCropped, deadMs: medianOf(dead), unknownMs: medianOf(unknown) }
    for (const [what, value] of Object.entries({ t, 't without the slowest': tCropped }))
      if (!(Math.abs(value) < MAX_T))
        faults.push(`${name}: ${what} is ${value.toFixed(2)}: the time reveals which addresses there were`)
  }
  return { faults, times }
}

/** With every optional member, so that every column of the row has a value. */
async function deadLinks(client: Client): Promise<readonly string[]> {
  const { owner } = await newLink(client)
  const links = []
  for (let count = 0; count < ADDRESSES; count += 1) {
    const link = await provision(owner, {
      passphrase_verifier: base64(32),
      sealed_label: base64(1138),
      sealed_title: base64(1138),
    })
    await revoke(link)
    links.push(link.opaqueId)
  }
  return links
}

async function deadShares(client: Client): Promise<readonly string[]> {
  const author = await newAuthor(client)
  const shares = []
  for (let count = 0; count < ADDRESSES; count += 1) {
    const { opaqueId } = await share(author, { sealed_index: base64(5000) })
    await endShare(author.owner, opaqueId)
    shares.push(opaqueId)
  }
  return shares
}
