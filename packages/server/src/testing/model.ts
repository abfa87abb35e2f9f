import type { AccountId, OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { LinkState } from '@blindkeep/protocol/schemas/links'
import type { QuotaState } from '@blindkeep/protocol/schemas/quota'
import type { UploadState } from '../ports/store.ts'

/** A simple model of links, uploads, quota and inbox. Random runs compare the rules with it. */
export const SOFT_BYTES = 300
export const HARD_BYTES = 500
const DAY_MS = 86_400_000
/** The default of `SESSION_YIELD_SECONDS`. */
const YIELD_MS = 10_000

export interface ModelLink {
  readonly opaqueId: OpaqueId
  readonly owner: AccountId
  expiresAt: number
  maxTotalBytes: number
  maxFileCount: number
  maxFileSize: number
  readonly singleUse: boolean
  isRevoked: boolean
  isSpent: boolean
  landedFiles: number
  landedBytes: number
}

export interface ModelUpload {
  readonly uploadId: UploadId
  readonly link: ModelLink
  readonly content: Uint8Array
  /** Whether the sent bytes have the declared hash. */
  readonly isHonest: boolean
  readonly createdAt: number
  state: UploadState | 'forgotten'
  sent: number
  lastChunkAt: number | undefined
  closedAt: number | undefined
  /** Whether it is a pending drop in the inbox. */
  isPending: boolean
  /** When its drop was discarded; absent if it is not in the bin. */
  discardedAt?: number | undefined
}

export class Model {
  now = 0
  readonly accounts: AccountId[] = []
  readonly links: ModelLink[] = []
  readonly uploads: ModelUpload[] = []
  readonly exceededSince = new Map<AccountId, number>()

  open(link: ModelLink): readonly ModelUpload[] {
    return this.uploads.filter((upload) => upload.link === link && upload.state === 'open')
  }

  pending(owner: AccountId): readonly ModelUpload[] {
    return this.uploads.filter((upload) => upload.link.owner === owner && upload.isPending)
  }

  used(owner: AccountId): number {
    const charged = this.uploads.filter(
      ({ link, state, isPending, discardedAt }) =>
        link.owner === owner && (state === 'open' || isPending || discardedAt !== undefined),
    )
    return sum(charged.map(({ content }) => content.length))
  }

  linkState(link: ModelLink): LinkState {
    if (link.isRevoked) return 'revoked'
    if (link.isSpent) return 'spent'
    return link.expiresAt <= this.now ? 'expired' : 'live'
  }

  quotaState(owner: AccountId): QuotaState {
    const used = this.used(owner)
    if (used < HARD_BYTES) return used < SOFT_BYTES ? 'ok' : 'soft_warning'
    return this.now > (this.exceededSince.get(owner) ?? 0) + 14 * DAY_MS ? 'grace_expired' : 'hard_exceeded'
  }

  openWithout(link: ModelLink, going: readonly ModelUpload[]): readonly ModelUpload[] {
    return this.open(link).filter((upload) => !going.includes(upload))
  }

  /** The empty sessions that end for `size` bytes: as many as needed, oldest first; none if they do not suffice. */
  givingWay(link: ModelLink, size: number): readonly ModelUpload[] {
    const isEmpty = ({ sent, createdAt }: ModelUpload) => sent === 0 && createdAt <= this.now - YIELD_MS
    const going: ModelUpload[] = []
    for (const upload of this.open(link)
      .filter(isEmpty)
      .toSorted((a, b) => a.createdAt - b.createdAt))
      if (!hasPlace(link, size, this.openWithout(link, going))) going.push(upload)
    return hasPlace(link, size, this.openWithout(link, going)) ? going : []
  }

  /** The reason to refuse these limits. */
  changeRefusal(link: ModelLink, { maxFileCount, maxTotalBytes }: Pick<ModelLink, 'maxFileCount' | 'maxTotalBytes'>) {
    if (link.isRevoked || link.isSpent) return 'link_not_live'
    const open = this.open(link)
    const fits = link.landedFiles + open.length <= maxFileCount && link.landedBytes + bytesOf(open) <= maxTotalBytes
    return fits ? undefined : 'cap_below_use'
  }

  /** The reason to refuse a session of `size` bytes when the sessions `going` end for it. */
  refusal(link: ModelLink, size: number, going: readonly ModelUpload[]): string | undefined {
    if (this.linkState(link) !== 'live') return 'link_not_live'
    if (size > link.maxFileSize) return 'file_too_large'
    if (!hasPlace(link, size, this.openWithout(link, going))) return 'caps_exhausted'
    return this.used(link.owner) - bytesOf(going) + size > HARD_BYTES ? 'quota_exceeded' : undefined
  }

  /** To be called after every change of an account's used bytes. */
  noteExcess(): void {
    for (const owner of this.accounts) {
      if (this.used(owner) < HARD_BYTES) this.exceededSince.delete(owner)
      else if (!this.exceededSince.has(owner)) this.exceededSince.set(owner, this.now)
    }
  }

  close(upload: ModelUpload, state: 'landed' | 'failed' | 'ended'): void {
    upload.state = state
    upload.closedAt = this.now
    if (state !== 'landed') return
    const { link, content } = upload
    upload.isPending = true
    link.landedFiles += 1
    link.landedBytes += content.length
    link.isSpent = link.singleUse
    if (link.isSpent) for (const sibling of this.open(link)) this.close(sibling, 'ended')
  }

  discard(upload: ModelUpload): void {
    if (upload.isPending) upload.discardedAt = this.now
    upload.isPending = false
  }

  /** The reason why its drop cannot be restored. */
  restore(upload: ModelUpload): string | undefined {
    const { discardedAt } = upload
    if (discardedAt === undefined || this.now >= discardedAt + DAY_MS) return 'bin_entry_not_found'
    upload.isPending = true
    upload.discardedAt = undefined
    return undefined
  }

  sweep(): void {
    for (const upload of this.uploads) {
      if (this.now >= (upload.discardedAt ?? Infinity) + DAY_MS) upload.discardedAt = undefined
      const { state, createdAt, lastChunkAt, closedAt } = upload
      const isIdle = lastChunkAt === undefined ? createdAt < this.now - 900_000 : lastChunkAt < this.now - DAY_MS
      if (state === 'open' && (isIdle || createdAt < this.now - 7 * DAY_MS)) this.close(upload, 'ended')
      else if (closedAt !== undefined && closedAt < this.now - (state === 'landed' ? 30 : 1) * DAY_MS)
        upload.state = 'forgotten'
    }
  }
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function bytesOf(uploads: readonly ModelUpload[]): number {
  return sum(uploads.map(({ content }) => content.length))
}

function hasPlace(link: ModelLink, size: number, open: readonly ModelUpload[]): boolean {
  const files = link.landedFiles + open.length
  return open.length < 64 && files < link.maxFileCount && link.landedBytes + bytesOf(open) + size <= link.maxTotalBytes
}
