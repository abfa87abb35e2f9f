/** Guests that land small drops and fetch each receipt, through every rotation and restart. */
import { HEADERS } from '@blindkeep/protocol/wire'
import { type Api, jsonOf } from '../harness/api.ts'
import { signUp } from '../harness/assets/author.ts'
import { createLedger } from '../harness/ledger.ts'
import { provision } from '../harness/pool.ts'
import { type Random, randomContent, sha256 } from '../harness/random.ts'

/** A receipt as its guest got it. */
export interface HeldReceipt {
  readonly receiptSeq: number
  /** SHA-256 of receipt_cbor, lowercase hex. */
  readonly hash: string
}

export interface Progress {
  /** Resolves when that many drops have landed. */
  whenLanded(landings: number): Promise<void>
}

export interface Load {
  readonly progress: Progress
  /** Resolves with the receipts when `count` drops have landed; rejects at an answer that no honest server gives. */
  readonly finished: Promise<readonly HeldReceipt[]>
}

interface LoadOptions {
  readonly count: number
  /** Guests at the same time. */
  readonly lanes: number
  /** The last tenth waits for it: so some drops land after all rotations and restarts, however short the load is. */
  readonly calm: Promise<unknown>
}

/** Below the 10,000 pending drops that an account may have. */
const MAX_DROPS_OF_ACCOUNT = 8_000
const MAX_DROP_BYTES = 600
export const DISTURBED_SHARE = 0.9
/** Fixed by suite 1; the server checks only its length. */
const KEM_CIPHERTEXT = Buffer.alloc(1120, 7).toString('base64')

export async function startLoad(api: Api, random: Random, { count, lanes, calm }: LoadOptions): Promise<Load> {
  const accounts = Math.max(2, Math.ceil(count / MAX_DROPS_OF_ACCOUNT))
  const links = await Promise.all(
    Array.from({ length: accounts }, (_, index) => newLink(api, random.fork(`account ${index}`))),
  )
  const progress = createProgress()
  let next = 0
  async function lane(): Promise<readonly HeldReceipt[]> {
    const held: HeldReceipt[] = []
    while (next < count) {
      const index = next++
      if (index >= count * DISTURBED_SHARE) await calm
      held.push(await landDrop(api, random.fork(`drop ${index}`), links[index % links.length] ?? ''))
      progress.step()
    }
    return held
  }
  const finished = Promise.all(Array.from({ length: lanes }, lane)).then((held) => held.flat())
  return { progress, finished }
}

async function newLink(api: Api, random: Random): Promise<string> {
  const owner = await signUp(api, random)
  const ports = { api, ledger: createLedger(), isDiskTroubled: () => false }
  return (await provision(ports, random.fork('link'), { owner, singleUse: false })).opaqueId
}

/** Repeats each request until there is an answer, under one Idempotency-Key and with one checksum. */
async function landDrop(api: Api, random: Random, opaqueId: string): Promise<HeldReceipt> {
  const name = random.hex(16)
  const content = randomContent(name, random.integer(1, MAX_DROP_BYTES))
  const hash = sha256(content)
  const created = await api.askUntilAnswered({
    method: 'POST',
    path: `/d/${opaqueId}`,
    headers: { [HEADERS.idempotencyKey]: name },
    json: {
      content_type: 'application/octet-stream',
      size: content.length,
      ciphertext_hash: hash,
      kem_ct: KEM_CIPHERTEXT,
    },
  })
  if (created.status !== 201) throw new Error(`a drop was answered ${created.status} ${created.code}`)
  const path = `/d/${opaqueId}/${jsonOf<{ upload_id: string }>(created).upload_id}`
  const headers = { [HEADERS.offset]: '0', [HEADERS.checksum]: hash }
  const landed = await api.askUntilAnswered({ method: 'PATCH', path, headers, bytes: content })
  if (landed.status !== 204) throw new Error(`its only chunk was answered ${landed.status} ${landed.code}`)
  const receipt = await api.askUntilAnswered({ method: 'GET', path: `${path}/receipt` })
  if (receipt.status !== 200) throw new Error(`its receipt was answered ${receipt.status} ${receipt.code}`)
  const { receipt_seq, receipt_cbor } = jsonOf<{ receipt_seq: number; receipt_cbor: string }>(receipt)
  return { receiptSeq: receipt_seq, hash: sha256(Buffer.from(receipt_cbor, 'base64')) }
}

function createProgress(): Progress & { step(): void } {
  let landings = 0
  let waiting: { readonly at: number; readonly resolve: () => void }[] = []
  return {
    step() {
      landings += 1
      for (const { at, resolve } of waiting) if (at <= landings) resolve()
      waiting = waiting.filter(({ at }) => at > landings)
    },
    whenLanded: (at) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (landings >= at) resolve()
      else waiting.push({ at, resolve })
      return promise
    },
  }
}
