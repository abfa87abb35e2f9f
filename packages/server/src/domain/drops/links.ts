import { timingSafeEqual } from 'node:crypto'
import { parseBase64 } from '@blindkeep/protocol/bytes'
import type { AccountId, Instant, OpaqueId, ProtocolVersion } from '@blindkeep/protocol/ids'
import { type LinkState, linkCapMembersOf, type NumericLinkCaps } from '@blindkeep/protocol/schemas/links'
import { isKnownSuite } from '@blindkeep/protocol/suites'
import { contentTypesOf } from '@blindkeep/protocol/window'
import type { Clock } from '../../ports/clock.ts'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Link, NewLink, ReadTx, Store, WriteTx } from '../../ports/store.ts'
import { isReachable, requireActiveAccount } from '../account/activeAccount.ts'
import { noteLinkChange } from '../changes/changes.ts'
import type { Refuses } from '../refusals.ts'
import { sha256 } from '../sha256.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'

/** Upload links: who may drop what through them, and the one place where their caps change. */
export interface LinkSettings {
  /** What a new link pins. */
  readonly protocolVersion: () => ProtocolVersion
  readonly blobBytesMax: number
  readonly passphraseTriesPerWindow: number
}

export const MAX_LIVE_LINKS = 1000
const MAX_OPEN_SESSIONS = 64
const PASSPHRASE_TRIES_OF_LINK = 100
const WINDOW_SECONDS = 900
const MAX_PROOF_BYTES = 4096

export type Provision = Omit<NewLink, 'accountId' | 'protocolVersion' | 'verifierHash' | 'createdAt'> & {
  readonly passphraseVerifier: Uint8Array | undefined
}

export interface GuestView {
  readonly link: Link
  readonly contentTypes: readonly string[]
  readonly maxFileSize: number | undefined
  readonly remainingBytes: number | undefined
  readonly remainingFiles: number | undefined
}

interface LinkPorts {
  readonly store: Store
  readonly clock: Clock
  readonly limiter: Limiter
  readonly ending: UploadEnding
}

export type Links = ReturnType<typeof createLinks>

export function createLinks({ store, clock, limiter, ending }: LinkPorts, settings: LinkSettings) {
  return {
    /** Makes a link, or says again that it is made when the same caller repeats the same values. */
    async provision(
      accountId: AccountId,
      request: Provision,
    ): Promise<OpaqueId | Refuses<'session_over' | 'opaque_id_taken' | 'links_exhausted' | 'request_malformed'>> {
      if (!isKnownSuite(request.suiteId)) return { refused: 'request_malformed', detail: '/crypto_suite_id must be 1' }
      const now = clock.now()
      const { passphraseVerifier, ...values } = request
      const link: NewLink = {
        ...values,
        accountId,
        protocolVersion: settings.protocolVersion(),
        verifierHash: passphraseVerifier && sha256(passphraseVerifier),
        createdAt: now,
      }
      return store.write(async (tx) => {
        const gone = await requireActiveAccount(tx, accountId)
        if (gone !== undefined) return gone
        const present = await tx.links.find(link.opaqueId)
        if (present !== undefined) return isRepeat(present, link) ? link.opaqueId : { refused: 'opaque_id_taken' }
        if ((await tx.links.countLive(accountId, now)) >= MAX_LIVE_LINKS) return { refused: 'links_exhausted' }
        if (!(await tx.links.insert(link))) return { refused: 'opaque_id_taken' }
        await noteLinkChange(tx, link, now)
        return link.opaqueId
      })
    },

    async list(
      accountId: AccountId,
    ): Promise<readonly (Link & { readonly pending: number; readonly state: LinkState })[]> {
      const now = clock.now()
      const links = await store.read((tx) => tx.links.listOf(accountId))
      return links.map((link) => ({ ...link, state: stateOf(link, now) }))
    },

    /** Ends the link and its open sessions. Silent about whether there was one (specification, Revoke). */
    async revoke(accountId: AccountId, opaqueId: OpaqueId): Promise<void> {
      const now = clock.now()
      const ended = await store.write(async (tx) => {
        if (!(await tx.links.revoke(opaqueId, accountId, now))) return []
        await noteLinkChange(tx, { accountId, opaqueId }, now)
        return ending.closeAllOfLink(tx, opaqueId, now)
      })
      ending.afterClose(ended)
    },

    async asGuestSees(opaqueId: OpaqueId): Promise<GuestView | Refuses<'link_not_live'>> {
      const now = clock.now()
      const link = await store.read((tx) => findLive(tx, opaqueId, now))
      return link === undefined ? { refused: 'link_not_live' } : guestView(link, settings.blobBytesMax)
    },

    /** Judges a passphrase proof. AttemptLimits are counted before they are judged and given back when right, so that guessing in parallel gains nothing. */
    async judgeProof(
      link: Link,
      proof: string | undefined,
      source: string | undefined,
    ): Promise<
      | Refuses<
          'passphrase_missing' | 'passphrase_wrong' | 'link_limited' | 'declaration_malformed' | 'request_malformed'
        >
      | undefined
    > {
      if (link.verifierHash === undefined) {
        return proof === undefined
          ? undefined
          : { refused: 'declaration_malformed', detail: 'this link asks for no passphrase' }
      }
      if (proof === undefined) return { refused: 'passphrase_missing' }
      const proofBytes = parseBase64(proof)
      if (proofBytes === undefined || !isProofLength(proofBytes.length))
        return {
          refused: 'request_malformed',
          detail: `/passphrase_proof must be base64 of 1 to ${MAX_PROOF_BYTES} bytes`,
        }
      const limits = passphraseLimits(link.opaqueId, source, settings.passphraseTriesPerWindow)
      const retryAfterSeconds = await limiter.take(limits)
      if (retryAfterSeconds !== undefined) return { refused: 'link_limited', retryAfterSeconds }
      if (!timingSafeEqual(sha256(proofBytes), link.verifierHash)) return { refused: 'passphrase_wrong' }
      await limiter.giveBack(limits)
      return undefined
    },

    /**
     * Caps are reserved in one store operation (specification, Create drop session, order of checks, 1): the link, still live, admits the file or nothing changes.
     * Too large for one file is said even when the link is full.
     */
    async reserve(
      tx: WriteTx,
      link: Link,
      size: number,
      at: Instant,
    ): Promise<Refuses<'file_too_large' | 'caps_exhausted' | 'link_not_live'> | undefined> {
      if (stateOf(link, at) !== 'live') return { refused: 'link_not_live' }
      const limit = largestFile(link, settings.blobBytesMax)
      if (size > limit) return { refused: 'file_too_large', limit }
      const admitted = await tx.links.reserve(link.opaqueId, { size, at, maxOpenSessions: MAX_OPEN_SESSIONS })
      if (!admitted) return { refused: 'caps_exhausted' }
      await noteLinkChange(tx, link, at)
      return undefined
    },
  }
}

/** A live link whose owner is neither suspended nor gone: anything else looks alike to a guest. */
export async function findLive(tx: ReadTx, opaqueId: OpaqueId, at: Instant): Promise<Link | undefined> {
  const link = await tx.links.find(opaqueId)
  if (link === undefined || stateOf(link, at) !== 'live') return undefined
  const owner = await tx.accounts.find(link.accountId)
  return isReachable(owner) ? link : undefined
}

function stateOf(link: Link, at: Instant): LinkState {
  if (link.revokedAt !== undefined) return 'revoked'
  if (link.spentAt !== undefined) return 'spent'
  return link.expiresAt !== undefined && link.expiresAt <= at ? 'expired' : 'live'
}

/** Caps count landed and open uploads together (ARCHITECTURE.md, What is always true). */
export function exceedsCaps(caps: NumericLinkCaps, used: { readonly files: number; readonly bytes: number }): boolean {
  return (
    used.files > (caps.maxFileCount ?? Number.POSITIVE_INFINITY) ||
    used.bytes > (caps.maxTotalBytes ?? Number.POSITIVE_INFINITY)
  )
}

function largestFile(link: Link, blobBytesMax: number): number {
  return Math.min(link.maxFileSize ?? blobBytesMax, blobBytesMax)
}

/** A full link is live and shows zeros. */
function guestView(link: Link, blobBytesMax: number): GuestView {
  const { maxTotalBytes, maxFileCount } = link
  return {
    link,
    contentTypes: contentTypesOf(link.protocolVersion),
    maxFileSize: link.maxFileSize === undefined ? undefined : largestFile(link, blobBytesMax),
    remainingBytes:
      maxTotalBytes === undefined ? undefined : roundedFree(maxTotalBytes, link.landedBytes + link.openBytes),
    remainingFiles:
      maxFileCount === undefined ? undefined : Math.max(0, maxFileCount - link.landedFiles - link.openSessions),
  }
}

/**
 * Free bytes, rounded down to one percent of the cap so that one guest cannot read another’s file size off them. An unused link shows its whole cap,
 * or a file that fits it exactly would look too large. In BigInt, as a hundred times a cap may pass what a number says exactly.
 */
function roundedFree(capBytes: number, usedBytes: number): number {
  const freeBytes = Math.max(0, capBytes - usedBytes)
  if (capBytes <= 100) return freeBytes
  const cap = BigInt(capBytes)
  return Number((((BigInt(freeBytes) * 100n) / cap) * cap) / 100n)
}

function isProofLength(bytes: number): boolean {
  return bytes >= 1 && bytes <= MAX_PROOF_BYTES
}

/** A source that is not known (`undefined`) is shared by many: only the link counts then. */
function passphraseLimits(opaqueId: OpaqueId, source: string | undefined, triesOfSource: number): readonly Limit[] {
  const ofLink = {
    rule: 'passphrase-of-link',
    key: opaqueId,
    most: PASSPHRASE_TRIES_OF_LINK,
    windowSeconds: WINDOW_SECONDS,
  }
  if (source === undefined) return [ofLink]
  const key = `${opaqueId} ${source}`
  return [{ rule: 'passphrase-of-link-and-source', key, most: triesOfSource, windowSeconds: WINDOW_SECONDS }, ofLink]
}

function isRepeat(present: Link, link: NewLink): boolean {
  const isDead = present.revokedAt !== undefined || present.spentAt !== undefined
  const values = (of: NewLink) => [
    of.accountId,
    of.suiteId,
    of.expiresAt,
    of.singleUse,
    ...Object.values(linkCapMembersOf(of)),
    ...[of.dropPublicKey, of.verifierHash, of.sealedLabel].map(
      (bytes) => bytes && Buffer.from(bytes).toString('base64'),
    ),
  ]
  const wanted = values(link)
  return !isDead && values(present).every((value, at) => value === wanted[at])
}
