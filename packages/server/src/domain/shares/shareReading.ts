/** What a share shows to a client with its address. */
import type { Instant, OpaqueId, Sha256Hex } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Objects } from '../../ports/objects.ts'
import type { HeldBlob, ReadTx, Share, ShareContents, Store } from '../../ports/store.ts'
import { findServable } from '../custody/servable.ts'
import { isWithheld } from '../custody/verdicts.ts'
import { isReachable } from '../ground/activeAccount.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { createJudgePassphrase, type PassphraseSettings, type Proof } from '../passphrases/judgePassphrase.ts'

/** A share with a passphrase before the proof, or what was found of another. */
type Seen<Found> = { readonly found: Found } | { readonly share: Share } | Refuses<'share_not_found'>

type ReadingRefusal = Refuses<
  'share_not_found' | 'share_passphrase_missing' | 'share_passphrase_wrong' | 'share_limited' | 'request_malformed'
>

export interface ShareReadingPorts {
  readonly store: Store
  readonly objects: Objects
  readonly clock: Clock
  readonly limiter: Limiter
}

const NOT_FOUND = { refused: 'share_not_found' } as const

export function createShareReading(
  { store, objects, clock, limiter }: ShareReadingPorts,
  settings: PassphraseSettings,
) {
  const judge = createJudgePassphrase(limiter, settings, 'share')

  /**
   * What `read` finds of a live share. A share with a passphrase is read only after the right proof, in a second
   * transaction: nothing of it, not even whether it names a hash, is known before.
   */
  async function showing<Found>(
    opaqueId: OpaqueId,
    proof: Proof,
    read: (tx: ReadTx, share: Share) => Promise<Found>,
  ): Promise<{ readonly found: Found } | ReadingRefusal> {
    const now = clock.now()
    const seen = await store.read(async (tx): Promise<Seen<Found>> => {
      const share = await findLive(tx, opaqueId, now)
      if (share === undefined) return NOT_FOUND
      return share.verifierHash === undefined ? { found: await read(tx, share) } : { share }
    })
    if (!('share' in seen)) return seen
    const refused = await refusalOf(seen.share, proof)
    return refused ?? { found: await store.read((tx) => read(tx, seen.share)) }
  }

  async function refusalOf(share: Share, proof: Proof): Promise<ReadingRefusal | undefined> {
    const judgement = await judge(share, proof)
    switch (judgement.is) {
      case 'right':
      case 'not_needed':
        return undefined
      case 'missing':
        return { refused: 'share_passphrase_missing' }
      case 'wrong':
        return { refused: 'share_passphrase_wrong' }
      case 'malformed':
        return judgement.refusal
      case 'limited':
        return { refused: 'share_limited', retryAfterSeconds: judgement.retryAfterSeconds }
    }
  }

  return {
    async contents(opaqueId: OpaqueId, proof: Proof): Promise<ShareContents | ReadingRefusal> {
      const shown = await showing(opaqueId, proof, (tx) => tx.shares.contentsOf(opaqueId))
      return isRefusal(shown) ? shown : (shown.found ?? NOT_FOUND)
    },

    /**
     * An object of this content, if the share names it and a live asset of the owner holds it. A withheld content
     * answers as an unknown one: its reason concerns only the owner. An object that cannot be served and is not yet
     * known to be damaged is a failure.
     */
    async content(
      opaqueId: OpaqueId,
      ciphertextHash: Sha256Hex,
      proof: Proof,
    ): Promise<HeldBlob | ReadingRefusal | Refuses<'storage_unavailable'>> {
      const shown = await showing(opaqueId, proof, async (tx, share) => {
        const isNamed = await tx.shares.names(opaqueId, ciphertextHash)
        return isNamed ? tx.assets.objectsOf(share.accountId, ciphertextHash) : []
      })
      if (isRefusal(shown)) return shown
      const served = shown.found.filter((object) => !isWithheld(object))
      return served.length === 0 ? NOT_FOUND : findServable(objects, served)
    },
  }
}

/** Undefined for every share that may not be read: the reasons look alike from outside. */
async function findLive(tx: ReadTx, opaqueId: OpaqueId, at: Instant): Promise<Share | undefined> {
  const found = await tx.shares.findWithOwner(opaqueId)
  if (found === undefined || !isReachable(found.owner)) return undefined
  const { share } = found
  const isOver = share.endedAt !== undefined || (share.expiresAt !== undefined && share.expiresAt <= at)
  return isOver ? undefined : share
}
