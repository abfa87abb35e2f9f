/** What a link could not take from guests, in words and for programs. */
import type { OwnLink } from '@blindkeep/client/owner'
import type { LinkRefusal } from '@blindkeep/protocol/schemas/links'
import { shortId, shown, timeText } from './texts.ts'

export function nameText({ opaqueId, label }: Pick<OwnLink, 'opaqueId' | 'label'>): string {
  return label === undefined ? shortId(opaqueId) : `${shortId(opaqueId)} (${shown(label)})`
}

export function refusedFacts({ refused }: Pick<OwnLink, 'refused'>) {
  return {
    refused: refused && { reasons: refused.reasons, first_at: refused.firstAt, last_at: refused.lastAt },
  }
}

/** What a guest met, and what helps. */
const REFUSED: Readonly<Record<LinkRefusal, readonly [met: string, help: string]>> = {
  too_large: ['a file was too large', 'blindkeep link edit ID --max-size SIZE'],
  files_full: ['the link had all its files', 'blindkeep link edit ID --files NUMBER'],
  bytes_full: ['the link had too little space left', 'blindkeep link edit ID --max-total SIZE'],
  inbox_full: ['the inbox was full', 'blindkeep inbox adopt, or discard'],
  quota_exceeded: ['the storage was full', 'blindkeep rm, or ask the operator for more'],
  expired: ['the link had expired', 'blindkeep link edit ID --expires TIME'],
  revoked: ['the link is revoked', 'blindkeep link create --like ID'],
}

/** A line for each reason of each link. */
export function refusedLines(links: readonly OwnLink[]): readonly string[] {
  return links.flatMap((link) => {
    const { reasons = [], lastAt = '' } = link.refused ?? {}
    return reasons.map(({ why, count }) => {
      const [met, help] = REFUSED[why]
      const times = count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`
      return `The link ${nameText(link)} refused guests ${times}: ${met}; the last one at ${timeText(lastAt)}. What helps: ${help.replace('ID', shortId(link.opaqueId))}`
    })
  })
}
