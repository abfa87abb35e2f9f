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

/** Why a link refused guests: a line for a person, and what programs read. */
export interface Refused {
  readonly text: string
  readonly fact: {
    readonly link_id: string
    readonly link_label: string | undefined
    readonly why: LinkRefusal
    readonly count: number
    readonly first_at: string
    readonly last_at: string
  }
}

export type Refusing = Pick<OwnLink, 'opaqueId' | 'label' | 'refused'>

/** Each reason of each link. */
export function refusedBy(links: readonly Refusing[]): readonly Refused[] {
  return links.flatMap(({ opaqueId, label, refused }) => {
    if (refused === undefined) return []
    const { reasons, firstAt, lastAt } = refused
    return reasons.map(({ why, count }) => {
      const [met, help] = REFUSED[why]
      const times = count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`
      const name = nameText({ opaqueId, label })
      return {
        text: `The link ${name} refused guests ${times}: ${met}; the last one at ${timeText(lastAt)}. What helps: ${help.replace('ID', shortId(opaqueId))}`,
        fact: { link_id: opaqueId, link_label: label, why, count, first_at: firstAt, last_at: lastAt },
      }
    })
  })
}
