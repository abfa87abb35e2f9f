import { countText } from '@blindkeep/protocol/counts'
import type { NumericLinkCaps } from '@blindkeep/protocol/schemas/links'
import type { AuditedLink } from '../../ports/store.ts'
import { type Finding, findBroken, instantText, type Rules } from './finding.ts'
import type { Examination } from './options.ts'

/** A finding names the link by its number, because the link's id is a credential. */
export function checkLink(link: AuditedLink, examination: Examination): readonly Finding[] {
  const where = { account_id: link.accountId, link_seq: link.linkSeq, created_at: instantText(link.createdAt) }
  return [...findBroken(where, openRules(link)), ...findBroken(where, landedRules(link, examination))]
}

function openRules({ accountId, linkSeq, unclosed, ...link }: AuditedLink): Rules {
  const isOver = link.spentAt !== undefined || link.revokedAt !== undefined
  return [
    [
      link.openSessions !== unclosed.sessions || link.openBytes !== unclosed.bytes,
      'link_open_wrong',
      `${link.openSessions} open sessions of ${link.openBytes} bytes counted, ${unclosed.sessions} of ${unclosed.bytes} in rows`,
      { repair: 'recount_open', accountId, linkSeq },
    ],
    [isOver && unclosed.open > 0, 'link_open_after_end', `spent or revoked, with ${unclosed.open} open sessions`],
    [
      link.singleUse && link.claimedBy !== unclosed.finishing,
      'link_claim_wrong',
      `single-use, claimed by ${link.claimedBy ?? 'no session'}, finishing is ${unclosed.finishing ?? 'no session'}`,
    ],
  ]
}

function landedRules(link: AuditedLink, { isUnpruned = false }: Examination): Rules {
  const { landedFiles, landedBytes, unclosed, seen, pending } = link
  // From the rows, as `openRules` reports a wrong count of sessions.
  const [files, bytes] = [landedFiles + unclosed.sessions, landedBytes + unclosed.bytes]
  const isLess = landedFiles < seen.files || landedBytes < seen.bytes
  const isOther = landedFiles !== seen.files || landedBytes !== seen.bytes
  const isLessThanPending = landedFiles < pending.files || landedBytes < pending.bytes
  return [
    [
      isLess || isLessThanPending || (isUnpruned && isOther),
      'link_landed_wrong',
      `${landedFiles} landed files of ${landedBytes} bytes counted, ${seen.files} of ${seen.bytes} in sessions, ${pending.files} of ${pending.bytes} pending`,
    ],
    [
      exceedsCaps(link, { files, bytes }),
      'link_caps_exceeded',
      `${countText(files, 'file')} of ${countText(bytes, 'byte')}, landed and open`,
    ],
    [
      link.singleUse && (landedFiles > 1 || (landedFiles === 1) !== (link.spentAt !== undefined)),
      'link_spent_wrong',
      `single-use, ${landedFiles} landed, ${link.spentAt === undefined ? 'not spent' : 'spent'}`,
    ],
  ]
}

/** Caps count landed and open uploads (ARCHITECTURE.md, What is always true). The store's `reserve` enforces them. */
function exceedsCaps(caps: NumericLinkCaps, used: { readonly files: number; readonly bytes: number }): boolean {
  return (
    used.files > (caps.maxFileCount ?? Number.POSITIVE_INFINITY) ||
    used.bytes > (caps.maxTotalBytes ?? Number.POSITIVE_INFINITY)
  )
}
