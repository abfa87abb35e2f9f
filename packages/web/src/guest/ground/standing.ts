/** Whether the link takes files, and what is left of this visit. Pure, for each part of the page. */
import type { Limits, Row, Snapshot } from './messages.ts'

export type WhyFull = 'too_many' | 'inbox_full' | 'no_room'

/** Why the link takes no more files, as far as the server's last answer says. */
export function whyFull({ remainingFiles, fileBytesMax, inboxFull }: Limits): WhyFull | undefined {
  if (remainingFiles === 0) return 'too_many'
  if (inboxFull === true) return 'inbox_full'
  // A total or the storage of the owner: the server does not say which.
  return fileBytesMax === 0 ? 'no_room' : undefined
}

export function isFull({ link }: Snapshot): boolean {
  return link.is === 'open' && whyFull(link.limits) !== undefined
}

/** The link limits single files. With a total only, a slightly smaller second figure would look like a loss. */
export function isFileLimited({ sealedBytesMax = Number.POSITIVE_INFINITY, remainingBytes }: Limits): boolean {
  return sealedBytesMax < (remainingBytes ?? Number.POSITIVE_INFINITY)
}

export function isForOneFile({ link }: Snapshot): boolean {
  return link.is === 'open' && link.limits.singleUse === true
}

/** The files that the link takes have landed in this visit. */
function isUsedUp({ isFilled, totals }: Snapshot): boolean {
  return isFilled && totals.landed > 0 && totals.landed === totals.files
}

/** No new file can be chosen. One of an earlier visit may still continue. */
export function isShut(snapshot: Snapshot): boolean {
  const { link } = snapshot
  return link.is === 'refused' ? !link.isRetrying : isFull(snapshot) || isUsedUp(snapshot)
}

export function canContinue({ unfinished }: Snapshot): boolean {
  return unfinished.some(({ isInOtherTab, standing }) => !isInOtherTab && standing === 'kept')
}

/** Files that are not sent, and have what the guest wrote for them: what is written now would not go with them. */
export function haveMessage({ counts, unfinished }: Snapshot): boolean {
  return counts.failed + counts.cancelled > 0 || unfinished.some(({ standing }) => standing !== 'never_begun')
}

/** Files that need the guest: chosen only, or to be chosen again. */
export function unsentOf({ counts, unfinished, neverBegun }: Snapshot): number {
  const begun = unfinished.filter(({ isInOtherTab, standing }) => !isInOtherTab && standing !== 'never_begun')
  return counts.chosen + begun.length + neverBegun.files
}

/** Files in the list that arrived before this visit. All other counts are of this visit, except those of receipts. */
export function earlierOf({ checkedReceipts, totals }: Snapshot): number {
  return checkedReceipts - totals.arrived
}

/** The receipt of each file in the list is checked. */
export function isProven({ checkedReceipts, counts }: Snapshot): boolean {
  return checkedReceipts === counts.landed
}

/** Why a receipt is not checked is not known yet. */
export function isChecking({ checkedReceipts, missingReceipts, alarms, counts }: Snapshot): boolean {
  return checkedReceipts + missingReceipts + alarms < counts.landed
}

/** A card of its own asks for the passphrase: it was wrong, or sent files wait for it. */
export function isPassphraseAsked({ passphrase, counts }: Snapshot): boolean {
  return passphrase === 'refused' || (passphrase === 'wanted' && counts.waiting > 0)
}

export type Notice =
  | 'full'
  | 'full_for_new'
  | 'inbox_full'
  | 'inbox_full_for_new'
  | 'no_room'
  | 'no_room_for_new'
  | 'closed'
  | 'closed_for_new'

/** For a link without new files. `..._for_new`: files of this guest arrived or can continue. */
export function noticeOf(snapshot: Snapshot): Notice | undefined {
  const { link, totals, counts } = snapshot
  const isOwn = counts.landed + counts.failed + totals.files > 0 || canContinue(snapshot)
  if (link.is === 'refused' && link.fault === 'closed') return isOwn ? 'closed_for_new' : 'closed'
  // While files are sent, their own reservations may be what fills the link.
  const why = link.is === 'open' && totals.files === 0 ? whyFull(link.limits) : undefined
  if (why === undefined) return undefined
  const notice = FULL_NOTICES[why]
  return isOwn ? `${notice}_for_new` : notice
}

const FULL_NOTICES = { too_many: 'full', inbox_full: 'inbox_full', no_room: 'no_room' } as const

/** Files of this visit that did not fit or failed. One that another tab is sending did not. */
export function missingOf({ counts, inOtherTab }: Snapshot): number {
  return counts.failed + counts.unfit - inOtherTab
}

export interface Outcome {
  /** Files of this visit whose receipt is checked. */
  readonly arrived: number
  /** Files of this visit that the server says it has, without a checked receipt. */
  readonly unproven: number
  /** Files that did not fit or failed. */
  readonly missing: number
  /** The first of them. */
  readonly shown: readonly Row[]
  /** Nothing is missing, chosen or unfinished: the guest is done. */
  readonly isAll: boolean
}

const MAX_SHOWN = 5

/** Undefined while files are on their way, and before one has landed in this visit. */
export function outcomeOf(snapshot: Snapshot): Outcome | undefined {
  const { totals, rows, unfinished, inOtherTab } = snapshot
  if (totals.landed === 0 || totals.landed < totals.files) return undefined
  const missing = missingOf(snapshot)
  const shown = rows
    .filter(({ phase, failure }) => (phase === 'failed' && failure !== 'other_tab') || phase === 'unfit')
    .slice(0, MAX_SHOWN)
  const isAll = missing === 0 && unsentOf(snapshot) === 0 && unfinished.length + inOtherTab === 0
  return { arrived: totals.arrived, unproven: totals.landed - totals.arrived, missing, shown, isAll }
}
