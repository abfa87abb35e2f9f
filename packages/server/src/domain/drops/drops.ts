import { createHash } from 'node:crypto'
import { parseBase64 } from '@blindkeep/protocol/bytes'
import {
  type DropId,
  type Instant,
  type OpaqueId,
  parseSha256Hex,
  parseUploadId,
  type Sha256Hex,
  type UploadId,
} from '@blindkeep/protocol/ids'
import { KEM_CIPHERTEXT_BYTES } from '@blindkeep/protocol/suites'
import { contentTypesOf } from '@blindkeep/protocol/window'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Random } from '../../ports/random.ts'
import type { DropUpload, Link, ReceiptRow, Store, Upload, WriteTx } from '../../ports/store.ts'
import { noteChange, noteLinkChange } from '../changes/changes.ts'
import { newId } from '../newId.ts'
import type { Quota } from '../quota/quota.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import { locationOf } from '../uploads/location.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import { findDropUpload, markLanded } from '../uploads/uploads.ts'
import { findLive, type Links } from './links.ts'

/** A guest's drop: from its declaration to the moment it lies in the owner's inbox. */
export interface DropSettings {
  readonly linkSessionsPerWindow: number
  readonly sourceSessionsPerWindow: number
  readonly freeSpaceFloorBytes: number
}

export const MAX_PENDING_DROPS = 10_000
const WINDOW_SECONDS = 900

/** As the guest declared it: values are judged here, after the link's caps and the owner's quota. */
export interface Declaration {
  readonly contentType: string
  readonly size: number
  readonly ciphertextHash: string
  /** base64 */
  readonly kemCt: string
  readonly suggestedFilename: string | undefined
}

export interface CreateDrop {
  readonly opaqueId: OpaqueId
  readonly declaration: Declaration
  /** base64 */
  readonly proof: string | undefined
  readonly idempotencyKey: string | undefined
  /** Where the request came from; undefined when many share it. */
  readonly source: string | undefined
}

type CreateRefusal = Refuses<
  | 'source_limited'
  | 'link_not_live'
  | 'link_limited'
  | 'passphrase_missing'
  | 'passphrase_wrong'
  | 'declaration_malformed'
  | 'request_malformed'
  | 'file_too_large'
  | 'caps_exhausted'
  | 'quota_exceeded'
  | 'storage_unavailable'
>

interface DropPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly limiter: Limiter
  readonly links: Links
  readonly quota: Quota
}

export type Drops = ReturnType<typeof createDrops>

export function createDrops({ store, blobs, clock, random, limiter, links, quota }: DropPorts, settings: DropSettings) {
  /** One transaction: reserve the link's caps, charge the owner, judge the declaration. A refusal leaves nothing behind. */
  async function admit(tx: WriteTx, request: CreateDrop, freeBytes: number): Promise<Admission | CreateRefusal> {
    const now = clock.now()
    const { declaration, opaqueId } = request
    const repeated = await findRepeat(tx, request)
    if (repeated !== undefined) return repeated
    const link = await findLive(tx, opaqueId, now)
    if (link === undefined) return { refused: 'link_not_live' }
    const refused =
      (await links.reserve(tx, link, declaration.size, now)) ??
      (await pendingRefusal(tx, link)) ??
      (await quota.charge(tx, link.accountId, declaration.size, now))
    if (refused !== undefined) return refused
    const declared = judge(declaration, link)
    if (isRefusal(declared)) return declared
    const reserved = await tx.uploads.outstandingBytes()
    if (freeBytes - reserved - declaration.size < settings.freeSpaceFloorBytes)
      return { refused: 'storage_unavailable' }
    const uploadId = await open(tx, { request, link, declared, now })
    return { uploadId, isRepeat: false }
  }

  /** The intent, written before the first byte. */
  async function open(
    tx: WriteTx,
    { request, link, declared, now }: { request: CreateDrop; link: Link; declared: Judged; now: Instant },
  ): Promise<UploadId> {
    const { contentType, size, suggestedFilename } = request.declaration
    const uploadId = newId(random, parseUploadId)
    const location = locationOf(declared.ciphertextHash, uploadId)
    await tx.objects.insert({ location, size, state: 'staged', since: now })
    await tx.uploads.insert({
      uploadId,
      accountId: link.accountId,
      opaqueId: link.opaqueId,
      size,
      ...declared,
      contentType,
      suggestedFilename,
      idempotencyKey: request.idempotencyKey,
      declarationHash: hashOf(request.declaration),
      location,
      createdAt: now,
    })
    return uploadId
  }

  function sessionLimits({ opaqueId, source }: CreateDrop): { ofSource: readonly Limit[]; ofLink: readonly Limit[] } {
    const { sourceSessionsPerWindow, linkSessionsPerWindow } = settings
    return {
      ofSource:
        source === undefined
          ? []
          : [{ rule: 'sessions-of-source', key: source, max: sourceSessionsPerWindow, windowSeconds: WINDOW_SECONDS }],
      ofLink: [{ rule: 'sessions-of-link', key: opaqueId, max: linkSessionsPerWindow, windowSeconds: WINDOW_SECONDS }],
    }
  }

  /** Takes places before `work` judges, and gives them back unless it opens a session: limits count what was admitted, not what failed. */
  async function counting(
    limits: readonly Limit[],
    limited: 'source_limited' | 'link_limited',
    work: () => Promise<Admission | CreateRefusal>,
  ): Promise<Admission | CreateRefusal> {
    const retryAfterSeconds = await limiter.take(limits)
    if (retryAfterSeconds !== undefined) return { refused: limited, retryAfterSeconds }
    let hasOpened = false
    try {
      const admission = await work()
      hasOpened = !isRefusal(admission) && !admission.isRepeat
      return admission
    } finally {
      if (!hasOpened) await limiter.giveBack(limits)
    }
  }

  async function judgeAndAdmit(request: CreateDrop, link: Link): Promise<Admission | CreateRefusal> {
    const refused = await links.judgeProof(link, request.proof, request.source)
    if (refused !== undefined) return refused
    const freeBytes = await blobs.freeBytes()
    return store.write((tx) => admit(tx, request, freeBytes))
  }

  return {
    /** Opens a session, or answers with the one that the same Idempotency-Key opened. Limits count what was admitted. */
    async create(request: CreateDrop): Promise<UploadId | CreateRefusal> {
      const { ofSource, ofLink } = sessionLimits(request)
      const admission = await counting(ofSource, 'source_limited', async () => {
        const link = await store.read((tx) => findLive(tx, request.opaqueId, clock.now()))
        if (link === undefined) return { refused: 'link_not_live' }
        return counting(ofLink, 'link_limited', () => judgeAndAdmit(request, link))
      })
      return isRefusal(admission) ? admission : admission.uploadId
    },

    /** What the server signed for a landed drop. */
    async receipt(scope: {
      readonly opaqueId: OpaqueId
      readonly uploadId: UploadId
    }): Promise<ReceiptRow | Refuses<'upload_not_found'>> {
      const upload = await findDropUpload(store, scope)
      if (isRefusal(upload)) return upload
      const row = await store.read((tx) => tx.receipts.ofUpload(upload.uploadId))
      return row ?? { refused: 'upload_not_found' }
    },
  }
}

interface Admission {
  readonly uploadId: UploadId
  readonly isRepeat: boolean
}

async function findRepeat(
  tx: WriteTx,
  request: CreateDrop,
): Promise<Admission | Refuses<'declaration_malformed'> | undefined> {
  if (request.idempotencyKey === undefined) return undefined
  const present = await tx.uploads.findByIdempotencyKey(request.opaqueId, request.idempotencyKey)
  if (present === undefined) return undefined
  return present.declarationHash === hashOf(request.declaration)
    ? { uploadId: present.uploadId, isRepeat: true }
    : { refused: 'declaration_malformed', detail: 'this Idempotency-Key came with another declaration before' }
}

/** Sessions count as what they may land as, or those that are open would carry a nearly full inbox past its end. */
async function pendingRefusal(tx: WriteTx, { accountId }: Link): Promise<Refuses<'caps_exhausted'> | undefined> {
  const free = MAX_PENDING_DROPS - (await tx.drops.countPending(accountId))
  const unclosed = free > 0 ? await tx.uploads.countUnclosed(accountId) : 0
  if (unclosed < free) return undefined
  // The account's own land elsewhere; they are asked for last, as they seldom matter.
  return unclosed - (await tx.uploads.countUnclosedOwn(accountId)) < free ? undefined : { refused: 'caps_exhausted' }
}

interface Judged {
  readonly ciphertextHash: Sha256Hex
  readonly kemCt: Uint8Array
}

function judge(declaration: Declaration, link: Link): Judged | Refuses<'declaration_malformed'> {
  const { contentType, suggestedFilename } = declaration
  const kemCt = parseBase64(declaration.kemCt)
  const ciphertextHash = parseSha256Hex(declaration.ciphertextHash)
  const malformed = (detail: string): Refuses<'declaration_malformed'> => ({ refused: 'declaration_malformed', detail })
  if (!contentTypesOf(link.protocolVersion).includes(contentType))
    return malformed('/content_type is not one of the link’s content_types')
  if (ciphertextHash === undefined) return malformed('/ciphertext_hash must be 64 lowercase hex characters')
  if (kemCt?.length !== KEM_CIPHERTEXT_BYTES)
    return malformed(`/kem_ct must be base64 of ${KEM_CIPHERTEXT_BYTES} bytes`)
  if (suggestedFilename !== undefined && !isFileName(suggestedFilename))
    return malformed('/suggested_filename must be 1 to 255 characters, none of control')
  return { ciphertextHash, kemCt }
}

/** Counted in code points; none of Unicode's control characters, lone surrogates neither. */
function isFileName(name: string): boolean {
  const length = [...name].length
  return length >= 1 && length <= 255 && !/[\p{Cc}\p{Cs}]/u.test(name)
}

function hashOf({ contentType, size, ciphertextHash, kemCt, suggestedFilename }: Declaration): string {
  return createHash('sha256')
    .update(JSON.stringify([contentType, size, ciphertextHash, kemCt, suggestedFilename]))
    .digest('hex')
}

/**
 * Puts a finished drop session into the inbox, in the transaction that appends its receipt. A spent link's other sessions end with it:
 * the answer is which.
 */
export type LandDrop = ReturnType<typeof createLandDrop>

export function createLandDrop({ ending }: { readonly ending: UploadEnding }) {
  return async function landDrop(
    tx: WriteTx,
    {
      upload,
      dropId,
      receivedAt,
    }: { readonly upload: DropUpload; readonly dropId: DropId; readonly receivedAt: Instant },
  ): Promise<readonly Upload[]> {
    const { uploadId, accountId, opaqueId, ciphertextHash, size, contentType, kemCt, suggestedFilename, location } =
      upload
    await markLanded(tx, upload, receivedAt)
    const leasedUntil = undefined
    await tx.drops.insert({
      dropId,
      accountId,
      opaqueId,
      uploadId,
      ciphertextHash,
      size,
      contentType,
      kemCt,
      suggestedFilename,
      location,
      receivedAt,
      leasedUntil,
    })
    await tx.links.land(opaqueId, size, receivedAt)
    await noteChange(tx, accountId, { name: 'drop.landed', dropId, opaqueId }, receivedAt)
    await noteLinkChange(tx, upload, receivedAt)
    const link = await tx.links.find(opaqueId)
    return link?.spentAt === undefined ? [] : ending.closeAllOfLink(tx, opaqueId, receivedAt)
  }
}
