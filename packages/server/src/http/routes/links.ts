import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant, parseInstant } from '@blindkeep/protocol/ids'
import {
  type ChangeLinkRequest,
  LINK_REFUSALS,
  type LinkCapMembers,
  linkCapMembersOf,
  linkCapsOf,
} from '@blindkeep/protocol/schemas/links'
import type { OwnLink } from '../../domain/drops/linkState.ts'
import type { Links } from '../../domain/drops/links.ts'
import { isRefusal } from '../../domain/ground/refusals.ts'
import type { LinkTerms } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { givenBytes } from '../wire/givenBytes.ts'
import { listQuestion } from '../wire/lists.ts'
import { mapInSlices } from '../wire/slices.ts'

type Row = 'provisionLink' | 'listLinks' | 'changeLink' | 'revokeLink'

export function linkRoutes({ links }: { readonly links: Links }): Pick<Routes, Row> {
  return {
    async provisionLink({ json, caller }) {
      const answer = await links.provision(caller.account.accountId, {
        opaqueId: json.opaque_id,
        dropPublicKey: fromBase64(json.drop_pubkey),
        suiteId: json.crypto_suite_id,
        expiresAt: json.expires_at === undefined ? undefined : parseInstant(json.expires_at),
        ...linkCapsOf(json),
        singleUse: json.single_use ?? false,
        passphraseVerifier: givenBytes(json.passphrase_verifier),
        sealedLabel: givenBytes(json.sealed_label),
        sealedTitle: givenBytes(json.sealed_title),
      })
      return isRefusal(answer) ? answer : { status: 201, body: { opaque_id: answer } }
    },

    async listLinks({ query, caller }) {
      const owned = await links.list(caller.account.accountId, listQuestion(query))
      if (isRefusal(owned)) return owned
      return { status: 200, body: { links: await mapInSlices(owned, entryOf) } }
    },

    async changeLink({ params, json, caller }) {
      const answer = await links.change(caller.account.accountId, params.opaque_id, changeOf(json))
      return isRefusal(answer) ? answer : { status: 200, body: entryOf(answer) }
    },

    async revokeLink({ params, caller }) {
      await links.revoke(caller.account.accountId, params.opaque_id)
      return { status: 204 }
    },
  }
}

function entryOf(link: OwnLink) {
  return {
    opaque_id: link.opaqueId,
    state: link.state,
    created_at: formatInstant(link.createdAt),
    ...(link.sealedLabel && { sealed_label: toBase64(link.sealedLabel) }),
    ...(link.sealedTitle && { sealed_title: toBase64(link.sealedTitle) }),
    ...limitsOf(link),
    single_use: link.singleUse,
    passphrase_required: link.verifierHash !== undefined,
    landed_files: link.landedFiles,
    landed_bytes: link.landedBytes,
    open_sessions: link.openSessions,
    open_bytes: link.openBytes,
    pending: link.pending,
    ...refusedOf(link),
  }
}

function refusedOf({ refusals }: Pick<OwnLink, 'refusals'>) {
  const reasons = LINK_REFUSALS.flatMap((why) => {
    const count = refusals?.counts[why]
    return count === undefined ? [] : [{ why, count }]
  })
  if (refusals === undefined || reasons.length === 0) return {}
  const { firstAt, lastAt } = refusals
  return { refused_drops: { reasons, first_at: formatInstant(firstAt), last_at: formatInstant(lastAt) } }
}

/** An absent member is no change, null is what is removed. */
function changeOf(json: ChangeLinkRequest): Partial<LinkTerms> {
  const {
    expires_at: expiry,
    max_total_bytes: total,
    max_file_count: count,
    max_file_size: size,
    sealed_label: label,
    sealed_title: title,
  } = json
  return {
    ...(expiry !== undefined && { expiresAt: expiry === null ? undefined : parseInstant(expiry) }),
    ...(total !== undefined && { maxTotalBytes: total ?? undefined }),
    ...(count !== undefined && { maxFileCount: count ?? undefined }),
    ...(size !== undefined && { maxFileSize: size ?? undefined }),
    ...(label !== undefined && { sealedLabel: givenBytes(label) }),
    ...(title !== undefined && { sealedTitle: givenBytes(title) }),
  }
}

/** An answer leaves out a limit that the link does not have. */
function limitsOf({ expiresAt, ...caps }: Omit<LinkTerms, 'sealedLabel' | 'sealedTitle'>) {
  const present = Object.entries(linkCapMembersOf(caps)).filter(([, value]) => value !== null)
  const members: Partial<LinkCapMembers> = Object.fromEntries(present)
  return { ...(expiresAt !== undefined && { expires_at: formatInstant(expiresAt) }), ...members }
}
