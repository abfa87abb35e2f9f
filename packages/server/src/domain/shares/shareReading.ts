/** What a share shows to a client with its address. */
import type { Instant, OpaqueId, Sha256Hex } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Log } from '../../ports/log.ts'
import type { HeldBlob, ReadTx, Share, ShareContents, Store } from '../../ports/store.ts'
import type { Serving } from '../custody/servable.ts'
import { isWithheld } from '../custody/verdicts.ts'
import { isReachable } from '../ground/activeAccount.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { createJudgePassphrase, type PassphraseSettings, type Proof } from '../passphrases/judgePassphrase.ts'
import { createShareVisits } from './shareVisits.ts'

/** A share with a passphrase before the proof, or what was found of another. */
type Seen<Found> = Shown<Found> | { readonly share: Share } | Refuses<'share_not_found'>

interface Shown<Found> {
  readonly share: Share
  readonly found: Found
}

type ReadingRefusal = Refuses<
  'share_not_found' | 'share_passphrase_missing' | 'share_passphrase_wrong' | 'share_limited' | 'request_malformed'
>

export interface ShareReadingPorts {
  readonly store: Store
  readonly serving: Serving
  readonly clock: Clock
  readonly limiter: Limiter
  readonly log: Log
}

const NOT_FOUND = { refused: 'share_not_found' } as const

export function createShareReading(ports: ShareReadingPorts, settings: PassphraseSettings) {
  const { store, serving, clock, limiter } = ports
  const visits = createShareVisits(ports)
  const judge = createJudgePassphrase(limiter, settings, 'share')

  /**
   * What `read` finds of a live share. A share with a passphrase is read only after the right proof, in a second
   * transaction: nothing of it, not even whether it names a hash, is known before.
   */
  async function showing<Found>(
    opaqueId: OpaqueId,
    proof: Proof,
    read: (tx: ReadTx, share: Share) => Promise<Found>,
  ): Promise<Shown<Found> | ReadingRefusal> {
    const now = clock.now()
    const seen = await store.read(async (tx): Promise<Seen<Found>> => {
      const share = await findLive(tx, opaqueId, now)
      if (share === undefined) return NOT_FOUND
      return share.verifierHash === undefined ? { share, found: await read(tx, share) } : { share }
    })
    if (isRefusal(seen) || 'found' in seen) return seen
    const { share } = seen
    const refused = await refusalOf(share, proof)
    return refused ?? { share, found: await store.read((tx) => read(tx, share)) }
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
    /** A visit that opens it. */
    async contents(
      opaqueId: OpaqueId,
      proof: Proof,
      visit?: string,
    ): Promise<ShareContents | ReadingRefusal | Refuses<'share_used_up'>> {
      const shown = await showing(opaqueId, proof, (tx) => tx.shares.contentsOf(opaqueId))
      if (isRefusal(shown)) return shown
      const { share, found = NOT_FOUND } = shown
      if (isRefusal(found)) return found
      return (await visits.note(share, { id: visit, source: proof.source }, 'opened')) ?? found
    },

    /** A visit that downloads from it: before any byte is given. */
    download(
      share: Share,
      { visit, source }: { readonly visit: string | undefined; readonly source: string | undefined },
    ) {
      return visits.note(share, { id: visit, source }, 'downloaded')
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
    ): Promise<SharedBlob | ReadingRefusal | Refuses<'storage_unavailable'>> {
      const shown = await showing(opaqueId, proof, async (tx, share) => {
        const isNamed = await tx.shares.names(opaqueId, ciphertextHash)
        return isNamed ? tx.assets.objectsOf(share.accountId, ciphertextHash) : []
      })
      if (isRefusal(shown)) return shown
      const served = shown.found.filter((object) => !isWithheld(object))
      const object = served.length === 0 ? NOT_FOUND : await serving.firstWhole(served)
      return isRefusal(object) ? object : { ...object, share: shown.share }
    },
  }
}

export interface SharedBlob extends HeldBlob {
  readonly share: Share
}

/** Undefined for every share that may not be read: the reasons look alike from outside. */
async function findLive(tx: ReadTx, opaqueId: OpaqueId, at: Instant): Promise<Share | undefined> {
  const found = await tx.shares.findWithOwner(opaqueId)
  if (found === undefined || !isReachable(found.owner)) return undefined
  const { share } = found
  const isOver = share.endedAt !== undefined || (share.expiresAt !== undefined && share.expiresAt <= at)
  return isOver ? undefined : share
}
