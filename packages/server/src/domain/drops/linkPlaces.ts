/**
 * A link's places: open sessions, files and bytes. A session that has received nothing gives its place up when a new
 * one finds none, so a guest who opens sessions and sends nothing locks no other guest out. One guest holds at most a
 * quarter of the open sessions, and gives one up to a guest who holds fewer when all are taken: a few guests lock no
 * other guest out either, whatever they send.
 */
import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { Link, Upload, WriteTx } from '../../ports/store.ts'
import { shareOf } from '../ground/guestNetwork.ts'
import type { Refuses } from '../ground/refusals.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import type { Writers } from '../uploads/writers.ts'

export interface LinkPlaceSettings {
  readonly uploadYieldSeconds: number
}

export const MAX_OPEN_SESSIONS = 64
/** When a guest whose share is full should ask again: its own sessions may have landed by then. */
const RETRY_SECONDS = 10

interface LinkPlacePorts {
  readonly writers: Writers
  readonly ending: UploadEnding
}

interface Holder {
  readonly network: string | undefined
  readonly at: Instant
}

interface NewSession {
  readonly size: number
  /** Of the guest who opens it, as `Opener` has it. */
  readonly network: string | undefined
  readonly at: Instant
}

export type LinkPlaces = ReturnType<typeof createLinkPlaces>

export function createLinkPlaces({ writers, ending }: LinkPlacePorts, { uploadYieldSeconds }: LinkPlaceSettings) {
  /** A new session's first chunk may be coming: it keeps its place for a while, and while a request writes. */
  const mayGiveWay = (upload: Upload, at: Instant): boolean =>
    upload.receivedBytes === 0 &&
    upload.createdAt <= addSeconds(at, -uploadYieldSeconds) &&
    !writers.isWritingTo(upload, at)

  /**
   * Of the guests who hold the most of the `open` sessions, the one that should end first for a new session of
   * `network`. Undefined if the new guest would then hold more than they: so a guest with one session keeps it. A guest
   * who is not known gives no session, and gets none: it may be many.
   */
  function oneTooMany(open: readonly Upload[], { network, at }: Holder): Upload | undefined {
    if (network === undefined) return undefined
    const held = new Map<string, Upload[]>()
    for (const upload of open) {
      const holder = networkIn(upload)
      if (holder !== undefined) held.set(holder, [...(held.get(holder) ?? []), upload])
    }
    const most = Math.max(0, ...[...held.values()].map(({ length }) => length))
    if (most < (held.get(network)?.length ?? 0) + 2) return undefined
    const theirs = [...held.values()].filter(({ length }) => length === most).flat()
    return theirs.reduce((first, upload) => (endsBefore(upload, first, at) ? upload : first))
  }

  /** One without a writer; then fewer bytes for its age, so empty ones first; `other` if equal. */
  function endsBefore(upload: Upload, other: Upload, at: Instant): boolean {
    const [isBusy, isOtherBusy] = [writers.isWritingTo(upload, at), writers.isWritingTo(other, at)]
    return isBusy === isOtherBusy ? rateOf(upload, at) < rateOf(other, at) : isOtherBusy
  }

  /**
   * Ends as many empty sessions of the link as the new one needs, the oldest first, and then one session of a guest who
   * holds too many, if only an open session is missing; none if they would not make a place. A link with places left is
   * not looked at.
   */
  async function makePlace(
    tx: WriteTx,
    link: Link,
    { size, network, at }: NewSession,
  ): Promise<Refuses<'link_limited'> | undefined> {
    const share = shareOf(MAX_OPEN_SESSIONS)
    const mayFillShare = network !== undefined && link.openSessions >= share
    if (!mayFillShare && fits(link, size, [])) return undefined
    const open = await tx.uploads.openOf(link.opaqueId)
    const empty = open.filter((upload) => mayGiveWay(upload, at))
    const isOwn = (upload: Upload) => network !== undefined && networkIn(upload) === network
    const going: Upload[] = []
    if (open.filter(isOwn).length >= share) {
      const own = empty.find(isOwn)
      if (own === undefined) return { refused: 'link_limited', retryAfterSeconds: RETRY_SECONDS }
      going.push(own)
    }
    for (const upload of empty) if (!going.includes(upload) && !fits(link, size, going)) going.push(upload)
    const isFull = link.openSessions - going.length >= MAX_OPEN_SESSIONS
    const tooMany = isFull ? oneTooMany(open, { network, at }) : undefined
    const all = tooMany === undefined ? going : [...going, tooMany]
    if (!fits(link, size, all)) return undefined
    await ending.endOpen(tx, going, at, { isUnchanged: true })
    if (tooMany !== undefined) await ending.endOpen(tx, [tooMany], at)
    return undefined
  }

  return { makePlace }
}

function networkIn(upload: Upload): string | undefined {
  return upload.assetId === undefined ? upload.opener?.network : undefined
}

/** Bytes for each millisecond of its age. */
function rateOf({ receivedBytes, createdAt }: Upload, at: Instant): number {
  return receivedBytes / Math.max(1, at - createdAt)
}

/** Whether a file fits without the sessions `going`. The reserving statement decides (`tx.links.reserve`). */
function fits(link: Link, size: number, going: readonly Upload[]): boolean {
  const goingBytes = going.reduce((sum, upload) => sum + upload.size, 0)
  const openSessions = link.openSessions - going.length
  return (
    openSessions < MAX_OPEN_SESSIONS &&
    link.landedFiles + openSessions < (link.maxFileCount ?? Number.POSITIVE_INFINITY) &&
    link.landedBytes + link.openBytes - goingBytes <= (link.maxTotalBytes ?? Number.MAX_SAFE_INTEGER) - size
  )
}
