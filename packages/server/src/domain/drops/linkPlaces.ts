/**
 * A link's places: open sessions, files and bytes. A session that has received nothing gives its place up when a new one finds none, so a guest who opens
 * sessions and sends nothing locks no other guest out. One guest holds at most a quarter of the open sessions.
 */
import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { Link, Upload, WriteTx } from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import type { Writers } from '../uploads/writers.ts'
import { networkOf, shareOf } from './guestNetwork.ts'
import type { OpenedSessions } from './openedSessions.ts'

export interface LinkPlaceSettings {
  readonly uploadYieldSeconds: number
}

export const MAX_OPEN_SESSIONS = 64
/** When a guest whose share is full should ask again: its own sessions may have landed by then. */
const RETRY_SECONDS = 10

interface LinkPlacePorts {
  readonly writers: Writers
  readonly ending: UploadEnding
  readonly opened: OpenedSessions
}

interface NewSession {
  readonly size: number
  readonly source: string | undefined
  readonly at: Instant
}

export type LinkPlaces = ReturnType<typeof createLinkPlaces>

export function createLinkPlaces(
  { writers, ending, opened }: LinkPlacePorts,
  { uploadYieldSeconds }: LinkPlaceSettings,
) {
  /** A new session's first chunk may be on its way: it keeps its place for a while, and for as long as a request writes to it. */
  const mayGiveWay = ({ uploadId, receivedBytes, createdAt }: Upload, at: Instant): boolean =>
    receivedBytes === 0 && createdAt <= addSeconds(at, -uploadYieldSeconds) && !writers.isWriting(uploadId)

  /**
   * Ends as many empty sessions of the link as the new one needs, the oldest first; none if all of them would not make a place. Returns the ended ones, for
   * `ending.afterCommit`. A link with places left is not looked at.
   */
  async function makePlace(
    tx: WriteTx,
    link: Link,
    { size, source, at }: NewSession,
  ): Promise<readonly Upload[] | Refuses<'link_limited'>> {
    const network = networkOf(source)
    const share = shareOf(MAX_OPEN_SESSIONS)
    const mayFillShare = network !== undefined && link.openSessions >= share
    if (!mayFillShare && fits(link, size, [])) return []
    const open = await tx.uploads.openOf(link.opaqueId)
    const empty = open.filter((upload) => mayGiveWay(upload, at))
    const isOwn = ({ uploadId }: Upload) => network !== undefined && opened.networkOf(uploadId) === network
    const going: Upload[] = []
    if (open.filter(isOwn).length >= share) {
      const own = empty.find(isOwn)
      if (own === undefined) return { refused: 'link_limited', retryAfterSeconds: RETRY_SECONDS }
      going.push(own)
    }
    for (const upload of empty) if (!going.includes(upload) && !fits(link, size, going)) going.push(upload)
    return fits(link, size, going) ? ending.endOpen(tx, going, at) : []
  }

  return { makePlace }
}

/** Whether a file fits on the link without the sessions `going`. The statement that reserves is what counts (`tx.links.reserve`). */
function fits(link: Link, size: number, going: readonly Upload[]): boolean {
  const goingBytes = going.reduce((sum, upload) => sum + upload.size, 0)
  const openSessions = link.openSessions - going.length
  return (
    openSessions < MAX_OPEN_SESSIONS &&
    link.landedFiles + openSessions < (link.maxFileCount ?? Number.POSITIVE_INFINITY) &&
    link.landedBytes + link.openBytes - goingBytes <= (link.maxTotalBytes ?? Number.MAX_SAFE_INTEGER) - size
  )
}
