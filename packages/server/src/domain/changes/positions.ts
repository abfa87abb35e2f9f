/**
 * Positions in an account's count of changes, as texts for clients: cursors of the feed, ids of events. Clients keep
 * them for years. A restore sets the count back, and the server then uses numbers a second time. So each text also
 * names the epoch of its count.
 */
import { createHash } from 'node:crypto'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { Random } from '../../ports/random.ts'
import type { Store } from '../../ports/store.ts'

export interface Positions {
  textOf(accountId: AccountId, changeSeq: number): Promise<string>
  /** Undefined for a text of another account or another epoch. Does not check the number against the present count. */
  parse(accountId: AccountId, text: string): Promise<number | undefined>
}

export const FEED_EPOCH_BYTES = 16

export function createPositions({ store, random }: { readonly store: Store; readonly random: Random }): Positions {
  let epoch: Uint8Array | undefined

  /** Never changes while a server runs: a restore removes it from data on which a server then starts. */
  async function presentEpoch(): Promise<Uint8Array> {
    epoch ??= await store.read((tx) => tx.server.fact('feed_epoch'))
    epoch ??= await store.write(['server'], async (tx) => {
      const present = await tx.server.fact('feed_epoch')
      if (present !== undefined) return present
      const created = random.bytes(FEED_EPOCH_BYTES)
      await tx.server.setFact('feed_epoch', created)
      return created
    })
    return epoch
  }

  async function prefixOf(accountId: AccountId): Promise<string> {
    const hash = createHash('sha256').update(await presentEpoch())
    return `${hash.update(accountId).digest('hex').slice(0, 16)}-`
  }

  return {
    textOf: async (accountId, changeSeq) => `${await prefixOf(accountId)}${changeSeq}`,
    async parse(accountId, text) {
      const prefix = await prefixOf(accountId)
      const digits = text.startsWith(prefix) ? text.slice(prefix.length) : ''
      const changeSeq = Number(digits)
      return /^(0|[1-9]\d{0,15})$/.test(digits) && Number.isSafeInteger(changeSeq) ? changeSeq : undefined
    },
  }
}
