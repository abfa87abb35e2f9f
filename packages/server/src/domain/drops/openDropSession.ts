/** Opens a drop session in one transaction: caps, quota, declaration, row. A refusal changes nothing. */
import { type AccountId, type Instant, type OpaqueId, parseUploadId, type UploadId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Limit } from '../../ports/limiter.ts'
import type { Random } from '../../ports/random.ts'
import type { Link, Opener, WriteTx } from '../../ports/store.ts'
import { locationOf } from '../ground/location.ts'
import { newId } from '../ground/newId.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { Quota } from '../quota/quota.ts'
import type { Room } from '../quota/room.ts'
import { type Declaration, hashOf, type ParsedDeclaration, parseDeclaration } from './declaration.ts'
import type { InboxRoom } from './inboxRoom.ts'
import type { LinkPlaces } from './linkPlaces.ts'
import { findLive, type Links } from './links.ts'
import type { OpenedSessions } from './openedSessions.ts'

export interface DropSessionRequest {
  readonly opaqueId: OpaqueId
  readonly declaration: Declaration
  readonly idempotencyKey: string | undefined
  /** The address of the request. Undefined when many guests share it. */
  readonly source: string | undefined
}

export interface OpenedDropSession {
  readonly uploadId: UploadId
  /** Whether an earlier request with the same Idempotency-Key opened the session. */
  readonly isRepeat: boolean
  readonly isInboxNearlyFull: boolean
}

export type OpenDropRefusal = Refuses<
  | 'link_not_live'
  | 'link_limited'
  | 'declaration_malformed'
  | 'file_too_large'
  | 'caps_exhausted'
  | 'inbox_full'
  | 'quota_exceeded'
  | 'storage_full'
>

interface OpenDropPorts {
  /** Measured before the transaction. */
  readonly room: Room
  readonly clock: Clock
  readonly random: Random
  readonly links: Links
  readonly places: LinkPlaces
  readonly opened: OpenedSessions
  readonly quota: Quota
  readonly inboxRoom: InboxRoom
}

export function createOpenDropSession(ports: OpenDropPorts) {
  const { room, clock, random, links, places, quota, opened, inboxRoom } = ports
  return async function openDropSession(
    tx: WriteTx,
    request: DropSessionRequest,
    { accountId, counted }: Circumstances,
  ): Promise<OpenedDropSession | OpenDropRefusal> {
    const at = clock.now()
    const { declaration, opaqueId } = request
    const { size } = declaration
    const [repeated, found] = await Promise.all([findRepeat(tx, request), findLive(tx, opaqueId, at)])
    if (repeated !== undefined) return repeated
    if (found === undefined) return { refused: 'link_not_live' }
    const { link } = found
    const limited = await places.makePlace(tx, link, { size, network: opened.networkOf(request), at })
    if (limited !== undefined) return limited
    const hasRoom = await room.admits(tx, { accountId, size })
    const parsed = parseDeclaration(declaration, link)
    const uploadId = newId(random, parseUploadId)
    const opener = opened.openerOf(request, counted)
    // All at once: a refusal undoes what the others have written. The session does not count itself, as it is
    // counted first.
    const [landing, overCaps, overQuota] = await Promise.all([
      tx.uploads.countLanding(accountId),
      links.reserve(tx, link, size, at),
      quota.charge(tx, accountId, size, at),
      isRefusal(parsed) || !hasRoom
        ? undefined
        : insertSession(tx, { uploadId, request, link, parsed, opener, now: at }),
    ])
    if (overCaps !== undefined && overCaps.refused !== 'caps_exhausted') return overCaps
    const inbox = await inboxRoom.judge(tx, link, { landing, at })
    const refused = overCaps ?? (isRefusal(inbox) ? inbox : overQuota)
    if (refused !== undefined) return refused
    if (isRefusal(parsed)) return parsed
    if (!hasRoom) return { refused: 'storage_full' }
    return { uploadId, isRepeat: false, isInboxNearlyFull: !isRefusal(inbox) && inbox.isNearlyFull }
  }
}

/** The session that an earlier request opened with the same Idempotency-Key. */
async function findRepeat(
  tx: WriteTx,
  { opaqueId, declaration, idempotencyKey }: DropSessionRequest,
): Promise<OpenedDropSession | Refuses<'declaration_malformed'> | undefined> {
  if (idempotencyKey === undefined) return undefined
  const present = await tx.uploads.findByIdempotencyKey(opaqueId, idempotencyKey)
  if (present === undefined) return undefined
  return present.declarationHash === hashOf(declaration)
    ? { uploadId: present.uploadId, isRepeat: true, isInboxNearlyFull: false }
    : { refused: 'declaration_malformed', detail: 'this Idempotency-Key was used with another declaration' }
}

interface Circumstances {
  /** Of the link. */
  readonly accountId: AccountId
  /** The limits against which the session was counted. */
  readonly counted: readonly Limit[]
}

interface NewSession {
  readonly uploadId: UploadId
  readonly request: DropSessionRequest
  readonly link: Link
  readonly parsed: ParsedDeclaration
  readonly opener: Opener | undefined
  readonly now: Instant
}

/** Writes the intent, before the first byte arrives. */
async function insertSession(tx: WriteTx, { uploadId, request, link, parsed, opener, now }: NewSession): Promise<void> {
  const { contentType, size, suggestedFilename } = request.declaration
  const location = locationOf(parsed.ciphertextHash, uploadId)
  await Promise.all([
    tx.objects.insert({ location, size, state: 'staged', since: now }),
    tx.uploads.insert({
      uploadId,
      accountId: link.accountId,
      opaqueId: link.opaqueId,
      size,
      ...parsed,
      contentType,
      suggestedFilename,
      idempotencyKey: request.idempotencyKey,
      opener,
      declarationHash: hashOf(request.declaration),
      location,
      createdAt: now,
    }),
  ])
}
