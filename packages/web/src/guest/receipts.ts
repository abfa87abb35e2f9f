/** Fetches the receipt of each file that landed and checks all of it, here, with the keys that this browser has seen of the server before. */
import type { Environment } from '@blindkeep/client/environment'
import { AuditError } from '@blindkeep/client/errors'
import { type DropCustody, fetchReceipt, type PinnedKeys } from '@blindkeep/client/receipts'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import type { Keep } from './keep.ts'
import type { ReceiptStanding, SignedFacts } from './messages.ts'

const MAX_AT_ONCE = 2
const PAUSES_MS = [500, 3_000, 15_000]

export interface Receipts {
  /** Does nothing while it is under way already. */
  fetch(id: string, custody: DropCustody): void
  /** The keys that a server's receipts were checked with. */
  pins(baseUrl: string): Promise<PinnedKeys | undefined>
}

interface ReceiptsOptions {
  readonly environment: Environment
  readonly keep: Keep
  readonly onStanding: (id: string, standing: ReceiptStanding) => void
  readonly onReceipt: (id: string, receipt: AssetReceipt) => void
}

export function createReceipts({ environment, keep, onStanding, onReceipt }: ReceiptsOptions): Receipts {
  /** For a browser that could not keep them. */
  let seen: PinnedKeys | undefined
  const waiting = new Map<string, DropCustody>()
  const running = new Set<string>()

  function pump(): void {
    for (const [id, custody] of waiting) {
      if (running.size >= MAX_AT_ONCE) return
      waiting.delete(id)
      running.add(id)
      void run(id, custody).finally(() => {
        running.delete(id)
        pump()
      })
    }
  }

  async function run(id: string, custody: DropCustody): Promise<void> {
    onStanding(id, { is: 'fetching' })
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      try {
        return onStanding(id, { is: 'checked', signed: await checked(id, custody) })
      } catch (error) {
        if (error instanceof AuditError) return onStanding(id, { is: 'alarm', reason: error.reason })
        if (pauseMs !== undefined) await environment.wait(pauseMs)
      }
    }
    onStanding(id, { is: 'missing' })
  }

  async function checked(id: string, custody: DropCustody): Promise<SignedFacts> {
    const pinned = await pins(custody.baseUrl)
    const { receipt, keys } = await fetchReceipt({ custody, pinned, environment })
    seen = keys
    await keep.putPins(keys)
    await keep.putReceipt(id, receipt)
    onReceipt(id, receipt)
    return signedFactsOf(receipt)
  }

  async function pins(baseUrl: string): Promise<PinnedKeys | undefined> {
    return (await keep.pins(baseUrl)) ?? seen
  }

  return {
    pins,
    fetch(id, custody) {
      if (running.has(id)) return
      waiting.set(id, custody)
      pump()
    },
  }
}

/** Of a receipt that was checked: its fields are then a true reading of what is signed. */
export function signedFactsOf(receipt: AssetReceipt): SignedFacts {
  return {
    receivedAt: receipt.received_at,
    receiptNumber: receipt.receipt_seq,
    serverId: receipt.server_id,
    keyId: receipt.server_key_id,
    sealedHash: receipt.ciphertext_hash,
    sealedBytes: receipt.size,
  }
}
