/**
 * How often a share is opened and downloaded, and how often it may be downloaded: each once a visit. A client makes a
 * random id for its visit, so that what it asks again, after a lost answer or a reload, is not counted again. A share
 * keeps counts, and the ids of its last visits; a request without an id is a visit of its own.
 */
import { fromHex } from '@blindkeep/protocol/bytes'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import { MAX_SHARE_DOWNLOADS } from '@blindkeep/protocol/suites'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Log } from '../../ports/log.ts'
import { accountLock, type Share, type ShareVisits, type Store } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'

export type VisitAct = 'opened' | 'downloaded'

export interface Visit {
  /** 32 hex characters. */
  readonly id: string | undefined
  readonly source: string | undefined
}

type VisitRefusal = Refuses<'share_not_found' | 'share_used_up'>

const ID_BYTES = 16
const MAX_OPENERS = 64
/** All downloads of a limited share are known again, so each visit takes one of them only. */
const MAX_DOWNLOADERS = MAX_SHARE_DOWNLOADS
/** New visits that are counted. Each is a transaction of its own. */
const HOUR_SECONDS = 3600
const MAX_OF_SOURCE = 600
const MAX_OF_SHARE = 10_000

interface VisitPorts {
  readonly store: Store
  readonly clock: Clock
  readonly limiter: Limiter
  readonly log: Log
}

export function createShareVisits({ store, clock, limiter, log }: VisitPorts) {
  function count({ opaqueId, accountId }: Share, { id }: Visit, act: VisitAct): Promise<VisitRefusal | undefined> {
    return store.write([accountLock(accountId)], async (tx) => {
      const visits = await tx.shares.visitsOf(opaqueId)
      const judgement = judge(visits, id, act)
      if (judgement === 'new' && visits !== undefined)
        await tx.shares.setVisits(opaqueId, { ...withVisit(visits, id, act), lastAt: clock.now() })
      return isRefusal(judgement) ? judgement : undefined
    })
  }

  /** Refuses nothing for want of a count: beyond these rates, and where nothing can be written, it stays as it is. */
  async function countIfPossible(share: Share, visit: Visit, act: VisitAct): Promise<VisitRefusal | undefined> {
    if ((await limiter.take(limitsOf(share.opaqueId, visit))) !== undefined) return undefined
    try {
      return await count(share, visit, act)
    } catch (error) {
      log.warn('a visit of a share could not be counted', { error })
      return undefined
    }
  }

  return {
    /**
     * Before index or bytes are given. `share_used_up`: the share has no download left, and this visit is none of
     * those that took one. A download of a share with a limit is counted, or not given.
     */
    async note(share: Share, visit: Visit, act: VisitAct): Promise<VisitRefusal | undefined> {
      const visits = await store.read((tx) => tx.shares.visitsOf(share.opaqueId))
      const judgement = judge(visits, visit.id, act)
      if (judgement === 'known') return undefined
      if (isRefusal(judgement)) return judgement
      const isLimited = act === 'downloaded' && visits?.maxDownloads !== undefined
      return isLimited ? count(share, visit, act) : countIfPossible(share, visit, act)
    },
  }
}

function limitsOf(opaqueId: OpaqueId, { source }: Visit) {
  const ofShare = { rule: 'visits-of-share', key: opaqueId, max: MAX_OF_SHARE, windowSeconds: HOUR_SECONDS }
  const key = `${opaqueId} ${source}`
  const ofSource = { rule: 'visits-of-source', key, max: MAX_OF_SOURCE, windowSeconds: HOUR_SECONDS }
  return source === undefined ? [ofShare] : [ofSource, ofShare]
}

/** Undefined visits: the share has ended meanwhile. */
function judge(visits: ShareVisits | undefined, id: string | undefined, act: VisitAct): 'known' | 'new' | VisitRefusal {
  if (visits === undefined) return { refused: 'share_not_found' }
  const { openers, downloaders, downloaded, maxDownloads } = visits
  const hasDownloaded = includesVisit(downloaders, id)
  if (act === 'downloaded' && hasDownloaded) return 'known'
  if (!hasDownloaded && maxDownloads !== undefined && downloaded >= maxDownloads) return { refused: 'share_used_up' }
  return act === 'opened' && includesVisit(openers, id) ? 'known' : 'new'
}

function withVisit(visits: ShareVisits, id: string | undefined, act: VisitAct): ShareVisits {
  return act === 'opened'
    ? { ...visits, opened: visits.opened + 1, openers: following(visits.openers, id, MAX_OPENERS) }
    : {
        ...visits,
        downloaded: visits.downloaded + 1,
        downloaders: following(visits.downloaders, id, MAX_DOWNLOADERS),
      }
}

function includesVisit(ids: Uint8Array = new Uint8Array(), id: string | undefined): boolean {
  if (id === undefined) return false
  const known = Buffer.from(ids).toString('hex')
  for (let at = 0; at < known.length; at += 2 * ID_BYTES) if (known.startsWith(id, at)) return true
  return false
}

/** The newest ones, in the order of their coming. */
function following(ids: Uint8Array = new Uint8Array(), id: string | undefined, max: number): Uint8Array {
  return id === undefined ? ids : new Uint8Array([...ids, ...fromHex(id)].slice(-max * ID_BYTES))
}
