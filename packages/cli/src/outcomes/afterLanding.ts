/** Files that have landed in this call or an earlier one, and about which something is wrong or unknown. */
import { AuditError } from '@blindkeep/client/errors'
import { countText } from '@blindkeep/protocol/counts'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { ReasonedError } from '@blindkeep/protocol/reasonedError'
import { timeText } from '../ground/texts.ts'

/** How the last line of a call counts them. */
const FATES = {
  receipt_wrong: ['was sent, but its receipt did not hold', 'were sent, but their receipts did not hold'],
  receipt_missing: ['was sent, but has no checked receipt yet', 'were sent, but have no checked receipts yet'],
  record_gone: [
    'had landed before, and is not known there any more',
    'had landed before, and are not known there any more',
  ],
  may_differ: ['had landed before, and may have changed since', 'had landed before, and may have changed since'],
  not_retained: ['has landed, and may be deleted all the same', 'have landed, and may be deleted all the same'],
  not_asked: [
    'had landed before, but the server could not be asked',
    'had landed before, but the server could not be asked',
  ],
} as const

export type Fate = keyof typeof FATES

/** The message says what is known; what follows from `cause` is said after it. */
export class AfterLanding extends ReasonedError<Fate> {
  override readonly name = 'AfterLanding'
}

export function fateText(fate: Fate, count: number): string {
  const [one, many] = FATES[fate]
  return countText(count, one, many)
}

/** When and as what a file has landed. Records of earlier versions do not say it. */
export interface Landing {
  /** RFC 3339, by the clock of this machine. */
  readonly landedAt?: string
  readonly receiptSeq?: number
}

/** The server answers guests for 30 days. A day less, because its clock and this one may differ. */
const ANSWERED_MS = 29 * 24 * 3600 * 1000

/** The server may have forgotten by now that a guest’s file has landed, as it should. */
export function isOld({ landedAt }: Landing): boolean {
  return landedAt !== undefined && Date.now() - millisecondsOf(landedAt) > ANSWERED_MS
}

/** The server knew the file, and says that it does not any more. */
export function recordGone(landing: Landing, because = 'it may have been restored from a backup'): AfterLanding {
  const text = `${landingText(landing)}, but the server no longer has a record of it: ${because}. --again sends it again.`
  return new AfterLanding('record_gone', text)
}

/** Its size and time are the same, and its content cannot be compared with what was sent. */
export function mayDiffer(landing: Landing): AfterLanding {
  const text = `${landingText(landing)}, and something about it was changed since, or its disk keeps no times. Its content may be another one with the same size and date. --again sends it as it is now.`
  return new AfterLanding('may_differ', text)
}

export function notAsked(landing: Landing, cause: unknown): AfterLanding {
  const text = `${landingText(landing)}. Whether the server still has it could not be asked.`
  return new AfterLanding('not_asked', text, { cause })
}

/** Why a file of which the server says that it has it has no receipt that was checked and saved. */
export function withoutReceipt(cause: unknown): AfterLanding {
  const reason = cause instanceof AuditError ? 'receipt_wrong' : 'receipt_missing'
  return new AfterLanding(reason, 'It was sent, and the server says that it has it.', { cause })
}

export function notRetained(cause: unknown): AfterLanding {
  const text =
    'It has landed, and is not protected from deletion. The same line again, or blindkeep retain, protects it.'
  return new AfterLanding('not_retained', text, { cause })
}

function landingText({ landedAt, receiptSeq }: Landing): string {
  const on = landedAt === undefined ? 'before' : `on ${timeText(landedAt)}`
  return `It landed ${on}${receiptSeq === undefined ? '' : `, receipt ${receiptSeq}`}`
}
