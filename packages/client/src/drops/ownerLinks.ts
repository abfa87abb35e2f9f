/** The owner's upload links. Keys and fragments derive from the account key, and are never read from the server. */
import { type Bytes, fromHex, toBase64, utf8 } from '@blindkeep/protocol/bytes'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import {
  type LinkEntryResponse,
  type LinkRefusal,
  type LinkState,
  linkCapMembersOf,
  linkCapsOf,
  type NumericLinkCaps,
} from '@blindkeep/protocol/schemas/links'
import type { Static } from '@blindkeep/protocol/static'
import { SUITE_ID } from '@blindkeep/protocol/suites'
import type { Environment } from '../ground/environment.ts'
import type { Calls } from '../http/call.ts'
import { AnswerError } from '../http/errors.ts'
import { type ListRequest, type WholeListOptions, wholeList } from '../http/listPages.ts'
import { requireOwnName } from '../http/ownAddress.ts'
import { linkSecret, passphraseSalt } from '../seal/derive.ts'
import { newOpaqueId } from '../seal/newId.ts'
import { openSmallText } from '../seal/open.ts'
import { normalPassphrase } from '../seal/passphraseSpellings.ts'
import { sealSmall } from '../seal/seal.ts'
import { largestPlaintext } from '../seal/sizes.ts'
import type { LinkKeysOf } from './dropKeys.ts'
import { formatLink } from './linkAddress.ts'
import { type LinkTitle, openGivenTitle, sealLinkTitle } from './linkTitle.ts'

type LinkEntry = Static<typeof LinkEntryResponse>

/** Sizes in bytes of sealed files; all optional (specification, Limits). */
export type LinkCaps = Partial<NumericLinkCaps>

/** The total of a new link if its owner does not choose one: 10 GB of sealed files. */
export const DEFAULT_TOTAL_BYTES = 10_000_000_000
/** The files of a new link by default. Without it one guest could fill the inbox, which has 10,000 places. */
export const DEFAULT_FILES = 1000

export interface NewLinkCaps extends Pick<LinkCaps, 'maxFileSize'> {
  /** All files that the link ever takes. `DEFAULT_FILES` if absent. */
  readonly maxFileCount?: number | 'unlimited' | undefined
  /**
   * All bytes that the link ever takes. `DEFAULT_TOTAL_BYTES` if absent, or `maxFileSize` if that is larger. With
   * `unlimited`, guests may fill all storage that the owner has.
   */
  readonly maxTotalBytes?: number | 'unlimited' | undefined
}

/**
 * Sealed so that guests read them and the server does not. A line each, of at most 200, 500 and 100 characters, the
 * questions, and the kinds of files.
 */
type GivenTitle = Partial<LinkTitle>

export interface CreateLink extends GivenTitle {
  readonly caps?: NewLinkCaps | undefined
  /** Guests need it; the owner gives it to them by another way than the link. */
  readonly passphrase?: string | undefined
  /** The owner's name for the link; sealed. */
  readonly label?: string | undefined
  /** The link accepts one drop. */
  readonly singleUse?: boolean | undefined
  /** RFC 3339. */
  readonly expiresAt?: string | undefined
}

/** What is absent stays as it is; null removes a limit. */
export interface ChangeLink {
  readonly maxTotalBytes?: number | null | undefined
  readonly maxFileCount?: number | null | undefined
  readonly maxFileSize?: number | null | undefined
  /** RFC 3339. Null: the link does not expire. */
  readonly expiresAt?: string | null | undefined
  /** The owner's own name for the link. Null or empty: it has none. */
  readonly label?: string | null | undefined
  /** What guests read instead of title, message, name, questions and kinds of files, all at once. */
  readonly forGuests?: GivenTitle | null | undefined
}

export interface CreatedLink {
  readonly opaqueId: OpaqueId
  /** The whole link, for the guest, at the server's public URL. What follows # never reaches the server. */
  readonly url: string
}

export interface OwnLink extends CreatedLink, LinkTitle {
  readonly state: LinkState
  /** No file fits at the moment, not even an empty one. Uploads that are under way may still give their places back. */
  readonly isFull: boolean
  readonly passphraseRequired: boolean
  readonly createdAt: string
  readonly label: string | undefined
  /** Set when the label from the server does not open under this account's key. */
  readonly labelFault: string | undefined
  /** Set when what guests read does not open under this link's secret. */
  readonly titleFault: string | undefined
  readonly caps: LinkCaps
  readonly singleUse: boolean
  readonly expiresAt: string | undefined
  readonly landedFiles: number
  readonly landedBytes: number
  readonly openSessions: number
  readonly openBytes: number
  /** Pending drops of this link. */
  readonly pending: number
  /** Counted once an hour at most. */
  readonly refused: RefusedByLink | undefined
}

/** What guests could not send through a link, until its owner changes the link or dismisses it. */
interface RefusedByLink {
  /** Each reason once. */
  readonly reasons: readonly { readonly why: LinkRefusal; readonly count: number }[]
  /** RFC 3339. */
  readonly firstAt: string
  readonly lastAt: string
}

interface OwnerLinksPorts {
  readonly calls: Calls
  readonly accountKey: Bytes
  readonly keysOf: LinkKeysOf
  readonly environment: Environment
}

export interface OwnerLinks {
  /** Throws `AddressError`, also between loopback addresses, where `openLink` would throw it for each guest. */
  createLink(options?: CreateLink): Promise<CreatedLink>
  /** All links, including those that accept no files any more, oldest first by default. */
  listLinks(options?: WholeListOptions<OwnLink>): Promise<readonly OwnLink[]>
  /**
   * Changes the limits and the words of a link that is live or expired. No cap may be below what the link has used:
   * `error.drop.cap_below_use`. A link that is used up, revoked or not the owner's: `error.drop.link_not_found`. What
   * was refused is dismissed; an empty change does that alone, for an ended link too.
   */
  changeLink(opaqueId: string, change: ChangeLink): Promise<OwnLink>
  /** Ends open uploads at once; drops that have landed stay. */
  revokeLink(opaqueId: string): Promise<void>
}

export function createOwnerLinks({ calls, accountKey, keysOf, environment }: OwnerLinksPorts): OwnerLinks {
  const { call, serverUrl } = calls
  const titleSeal = (opaqueId: string) => {
    const id = fromHex(opaqueId)
    return { linkSecret: linkSecret(accountKey, id), opaqueId: id }
  }
  const sealedTitleOf = async (opaqueId: string, given: GivenTitle) =>
    toBase64(await sealLinkTitle(titleSeal(opaqueId), given))

  async function opened(entry: LinkEntry): Promise<OwnLink> {
    const { fault: titleFault, ...words } = await openGivenTitle(() => titleSeal(entry.opaque_id), entry.sealed_title)
    const { text: label, fault } = await openSmallText(entry.sealed_label, labelSeal(accountKey, entry.opaque_id))
    return {
      ...ownLinkOf(entry),
      // Made when it is asked for: the keys of a link take some milliseconds, and the server decides how many links
      // it lists.
      get url() {
        const { fragment } = keysOf(entry.opaque_id)
        return formatLink({ baseUrl: serverUrl, opaqueId: entry.opaque_id, fragment })
      },
      label,
      labelFault: fault,
      ...words,
      titleFault,
    }
  }

  return {
    async createLink({ caps = {}, passphrase, label, singleUse = false, expiresAt, ...words } = {}) {
      await requireOwnName(calls, 'receipts')
      const opaqueId = newOpaqueId(environment)
      const keys = keysOf(opaqueId)
      const sealedLabel = await sealedLabelOf(accountKey, opaqueId, label)
      const salt = passphraseSalt(keys.opaqueId, keys.linkSecret)
      const verifier =
        passphrase === undefined ? undefined : await environment.passphraseProof(normalPassphrase(passphrase), salt)
      await call('provisionLink', {
        body: {
          opaque_id: opaqueId,
          drop_pubkey: toBase64(keys.dropPublicKey),
          crypto_suite_id: SUITE_ID,
          single_use: singleUse,
          ...linkCapMembersOf({
            maxFileSize: caps.maxFileSize,
            maxFileCount: singleUse === true ? undefined : filesOf(caps),
            maxTotalBytes: totalBytesOf(caps),
          }),
          expires_at: expiresAt ?? null,
          passphrase_verifier: verifier === undefined ? null : toBase64(verifier),
          sealed_label: sealedLabel,
          sealed_title: await sealedTitleOf(opaqueId, words),
        },
      })
      return { opaqueId, url: formatLink({ baseUrl: serverUrl, opaqueId, fragment: keys.fragment }) }
    },

    async listLinks(options) {
      const list = {
        operation: 'listLinks',
        ask: async (request: ListRequest) => (await call('listLinks', request)).body.links,
        idOf: ({ opaque_id }: LinkEntry) => opaque_id,
        gone: 'error.drop.link_not_found',
      } as const
      return wholeList(list, opened, options)
    },

    async changeLink(opaqueId, { maxTotalBytes, maxFileCount, maxFileSize, expiresAt, label, forGuests }) {
      const { body } = await call('changeLink', {
        path: { opaque_id: opaqueId },
        body: {
          ...(maxTotalBytes !== undefined && { max_total_bytes: maxTotalBytes }),
          ...(maxFileCount !== undefined && { max_file_count: maxFileCount }),
          ...(maxFileSize !== undefined && { max_file_size: maxFileSize }),
          ...(expiresAt !== undefined && { expires_at: expiresAt }),
          ...(label !== undefined && { sealed_label: await sealedLabelOf(accountKey, opaqueId, label) }),
          ...(forGuests !== undefined && { sealed_title: await sealedTitleOf(opaqueId, forGuests ?? {}) }),
        },
      })
      if (body.opaque_id !== opaqueId) throw new AnswerError('changeLink', 'it is about another link')
      return opened(body)
    },

    async revokeLink(opaqueId) {
      await call('revokeLink', { path: { opaque_id: opaqueId } })
    },
  }
}

const labelSeal = (accountKey: Bytes, opaqueId: string) =>
  ({ key: accountKey, purpose: 'link-label', contextId: fromHex(opaqueId) }) as const

/** Null for a label of nothing but spaces. */
async function sealedLabelOf(
  accountKey: Bytes,
  opaqueId: string,
  label: string | null | undefined,
): Promise<string | null> {
  const text = label ?? ''
  if (text.trim() === '') return null
  return toBase64(await sealSmall(utf8(text), labelSeal(accountKey, opaqueId)))
}

function filesOf({ maxFileCount = DEFAULT_FILES }: NewLinkCaps): number | undefined {
  return maxFileCount === 'unlimited' ? undefined : maxFileCount
}

function totalBytesOf({ maxTotalBytes, maxFileSize = 0 }: NewLinkCaps): number | undefined {
  if (maxTotalBytes === 'unlimited') return undefined
  return maxTotalBytes ?? Math.max(DEFAULT_TOTAL_BYTES, maxFileSize)
}

/** What is not sealed of it. */
function ownLinkOf(
  entry: Static<typeof LinkEntryResponse>,
): Omit<OwnLink, 'url' | 'label' | 'labelFault' | 'titleFault' | keyof LinkTitle> {
  return {
    opaqueId: entry.opaque_id,
    state: entry.state,
    isFull: isFull(entry),
    passphraseRequired: entry.passphrase_required ?? false,
    createdAt: entry.created_at,
    caps: linkCapsOf(entry),
    singleUse: entry.single_use,
    expiresAt: entry.expires_at ?? undefined,
    landedFiles: entry.landed_files,
    landedBytes: entry.landed_bytes,
    openSessions: entry.open_sessions,
    openBytes: entry.open_bytes,
    pending: entry.pending,
    refused: entry.refused_drops && {
      reasons: entry.refused_drops.reasons,
      firstAt: entry.refused_drops.first_at,
      lastAt: entry.refused_drops.last_at,
    },
  }
}

function isFull(entry: Static<typeof LinkEntryResponse>): boolean {
  const { maxFileCount = Infinity, maxTotalBytes = Infinity } = linkCapsOf(entry)
  const freeBytes = maxTotalBytes - entry.landed_bytes - entry.open_bytes
  return (
    entry.landed_files + entry.open_sessions >= maxFileCount ||
    (freeBytes !== Infinity && largestPlaintext(freeBytes) === undefined)
  )
}
