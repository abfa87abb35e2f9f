import { createHash } from 'node:crypto'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { Random } from '../../ports/random.ts'
import type { Store } from '../../ports/store.ts'

/**
 * Places in an account's count of changes, as clients keep them for years: cursors of the feed, ids of events. Each says which count it belongs to,
 * as a restore takes the count back, and numbers would then be given a second time.
 */
export interface Positions {
  textOf(accountId: AccountId, changeSeq: number): Promise<string>
  /** Undefined for what is no place in this account's count, as far as that can be told without looking how far it has come. */
  parse(accountId: AccountId, text: string): Promise<number | undefined>
}

const EPOCH_BYTES = 16

export function createPositions({ store, random }: { readonly store: Store; readonly random: Random }): Positions {
  let epoch: Uint8Array | undefined

  /** It changes under no running server: a restore takes it out of the data that a server then starts on. */
  async function presentEpoch(): Promise<Uint8Array> {
    epoch ??= await store.read((tx) => tx.server.fact('feed_epoch'))
    epoch ??= await store.write(async (tx) => {
      const present = await tx.server.fact('feed_epoch')
      const made = present ?? random.bytes(EPOCH_BYTES)
      if (present === undefined) await tx.server.setFact('feed_epoch', made)
      return made
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
