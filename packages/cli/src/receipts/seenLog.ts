/** All receipts that were seen of one server, as one log: what contradicts it cannot come from an honest server. */
import { checkChain, type NameChange } from '@blindkeep/protocol/chain'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { SeenReceipt } from './seenReceipts.ts'

export interface Contradiction {
  readonly reason: 'two_receipts' | 'chain_forked' | 'receipt_vanished'
  /** For people. */
  readonly message: string
  /** What was seen and contradicts each other, or is missing. */
  readonly seen: readonly SeenReceipt[]
}

export interface SeenLog {
  /** False if this very receipt was seen before, for the same asset. */
  isNew(receipt: SeenReceipt): boolean
  /** Adds a receipt, and returns what it contradicts. One that contradicts another under its number is not added. */
  add(receipt: SeenReceipt): readonly Contradiction[]
  /** Receipts that were listed for an asset before and are not now. */
  vanished(assetId: AssetId, now: readonly SeenReceipt[]): readonly Contradiction[]
  /** Pairs of neighbours, by their numbers, that cannot be in one log. For once, at the end. `moves`: its names. */
  forks(moves: readonly NameChange[]): readonly Contradiction[]
}

export function createSeenLog(before: readonly SeenReceipt[]): SeenLog & { readonly found: readonly Contradiction[] } {
  const byNumber = new Map<number, SeenReceipt>()
  const byAsset = new Map<AssetId, Map<string, SeenReceipt>>()

  function add(receipt: SeenReceipt): readonly Contradiction[] {
    const { assetId, hash, payload } = receipt
    const same = byNumber.get(payload.receipt_seq)
    if (same !== undefined && same.hash !== hash) return [twoReceipts(same, receipt)]
    if (same === undefined) byNumber.set(payload.receipt_seq, receipt)
    if (assetId !== undefined) byAsset.set(assetId, (byAsset.get(assetId) ?? new Map()).set(hash, receipt))
    return []
  }

  const found = before.flatMap(add)
  return {
    found,
    add,
    isNew({ hash, payload, assetId }) {
      const isSeen = byNumber.get(payload.receipt_seq)?.hash === hash
      return !isSeen || (assetId !== undefined && byAsset.get(assetId)?.has(hash) !== true)
    },
    vanished(assetId, now) {
      const there = new Set(now.map(({ hash }) => hash))
      const missing = [...(byAsset.get(assetId)?.values() ?? [])].filter(({ hash }) => !there.has(hash))
      if (missing.length === 0) return []
      const numbers = missing.map(({ payload }) => payload.receipt_seq).join(', ')
      const message = `The server lists the file without receipts that it has shown for it before: ${numbers}.`
      return [{ reason: 'receipt_vanished', message, seen: missing }]
    },
    forks(moves) {
      const all = [...byNumber.values()].sort((a, b) => a.payload.receipt_seq - b.payload.receipt_seq)
      return all.flatMap((receipt, index) => {
        const previous = all[index - 1]
        if (previous === undefined || checkChain([previous, receipt], { moves }) === undefined) return []
        const [one, other] = [previous.payload.receipt_seq, receipt.payload.receipt_seq]
        const message = `The receipts ${one} and ${other} cannot be in one log: the server has forked it, or signed a false time.`
        return [{ reason: 'chain_forked', message, seen: [previous, receipt] }]
      })
    },
  }
}

function twoReceipts(one: SeenReceipt, other: SeenReceipt): Contradiction {
  const { receipt_seq: seq } = one.payload
  const message = `The server has signed two receipts with the number ${seq}: it has forgotten or replaced what it signed.`
  return { reason: 'two_receipts', message, seen: [one, other] }
}
