/** Fetches each landed file's receipt and checks it here, with the keys that this browser has seen before. */
import { serverUrlOf } from '@blindkeep/client/call'
import type { Environment } from '@blindkeep/client/environment'
import { AuditError } from '@blindkeep/client/errors'
import { type DropCustody, fetchReceipt, joinPins, type PinnedKeys } from '@blindkeep/client/receipts'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import type { ReceiptStatus, SignedFacts } from '../../ground/messages.ts'
import type { GuestStore } from '../store/guestStore.ts'

const MAX_AT_ONCE = 2
const PAUSES_MS = [500, 3_000, 15_000]

export interface Receipts {
  /** Does nothing while this receipt is being fetched. */
  fetch(id: string, custody: DropCustody): void
  /** The keys that a server's receipts were checked with. */
  pins(serverUrl: string): Promise<PinnedKeys | undefined>
}

interface ReceiptsOptions {
  readonly environment: Environment
  readonly store: GuestStore
  readonly onStatus: (id: string, status: ReceiptStatus) => void
  readonly onReceipt: (id: string, receipt: AssetReceipt) => void
}

export function createReceipts({ environment, store, onStatus, onReceipt }: ReceiptsOptions): Receipts {
  /** For a browser that could not store them. */
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
    onStatus(id, { is: 'fetching' })
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      try {
        return onStatus(id, { is: 'checked', signed: await checked(id, custody) })
      } catch (error) {
        if (error instanceof AuditError) return onStatus(id, { is: 'alarm', reason: error.reason })
        if (pauseMs !== undefined) await environment.wait(pauseMs)
      }
    }
    onStatus(id, { is: 'missing' })
  }

  async function checked(id: string, custody: DropCustody): Promise<SignedFacts> {
    const pinned = await pins(serverUrlOf(custody))
    const { receipt, keys } = await fetchReceipt({ custody, pinned, environment })
    // Another receipt may have been checked meanwhile, with other keys.
    seen = joinPins(seen, keys)
    await store.putPins(keys)
    await store.putReceipt(id, receipt)
    onReceipt(id, receipt)
    return signedFactsOf(receipt)
  }

  async function pins(serverUrl: string): Promise<PinnedKeys | undefined> {
    return (await store.pins(serverUrl)) ?? seen
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

/** Call it only with a checked receipt: its fields then agree with what is signed. */
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
