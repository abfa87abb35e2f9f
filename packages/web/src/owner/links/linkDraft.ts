/** The form of a new or changed link and how it is read. Pure: time and random bytes are parameters. */
import type { ChangeLink, CreateLink, OwnLink } from '@blindkeep/client/owner'
import { largestPlaintext, usualSealedBytes } from '@blindkeep/client/sizes'
import { instantIn, millisecondsOf } from '@blindkeep/protocol/ids'
import { type AskedDraft, type AskedFaults, askedDraftOf, readAsked } from './questionDrafts.ts'

export const EXPIRIES = ['day', 'week', 'month', 'never', 'date'] as const
export type Expiry = (typeof EXPIRIES)[number]

export const SIZE_UNITS = { MB: 1e6, GB: 1e9, TB: 1e12 } as const
export type SizeUnit = keyof typeof SIZE_UNITS

/** As typed. */
export interface SizeDraft {
  readonly amount: string
  readonly unit: SizeUnit
}

export interface LinkDraft extends AskedDraft {
  readonly label: string
  /** What guests read. */
  readonly title: string
  readonly message: string
  /** The owner's name, as guests read it. */
  readonly from: string
  readonly expiry: Expiry
  /** For `expiry: 'date'`: a calendar day (`2026-11-30`); the link ends at the end of it. */
  readonly date: string
  readonly singleUse: boolean
  readonly maxFiles: string
  readonly maxFileSize: SizeDraft
  readonly maxTotal: SizeDraft
  /** Chosen on purpose: guests may then fill all storage of the owner. */
  readonly noTotalLimit: boolean
  readonly passphrase: string
}

const EMPTY: LinkDraft = {
  label: '',
  title: '',
  message: '',
  from: '',
  expiry: 'week',
  date: '',
  singleUse: false,
  maxFiles: '1000',
  maxFileSize: { amount: '', unit: 'GB' },
  maxTotal: { amount: '10', unit: 'GB' },
  noTotalLimit: false,
  passphrase: '',
  questions: [],
  fileKinds: '',
}

/** Common uses of links. A permanent link takes much: it counts all files ever, so it becomes full one day. */
export const PRESETS = {
  one: { ...EMPTY, singleUse: true },
  anyone: { ...EMPTY, maxFiles: '100' },
  standing: {
    ...EMPTY,
    expiry: 'never',
    maxFiles: '10000',
    maxFileSize: { amount: '2', unit: 'GB' },
    maxTotal: { amount: '100', unit: 'GB' },
  },
} as const satisfies Record<string, LinkDraft>
export type Preset = keyof typeof PRESETS

/** Keeps the texts and the questions, which the owner has typed. */
export function withPreset(draft: LinkDraft, preset: Preset): LinkDraft {
  const { label, title, message, from, passphrase, questions, fileKinds } = draft
  return { ...PRESETS[preset], label, title, message, from, passphrase, questions, fileKinds }
}

/** A new link begins with the owner's name of the newest link whose words are still there. */
export function usualName(newestFirst: readonly Pick<OwnLink, 'state' | 'from'>[]): string {
  return newestFirst.find(({ state }) => state === 'live' || state === 'expired')?.from ?? ''
}

/** The form for a link that exists, without its passphrase, which is stored nowhere. */
export function draftOf(link: OwnLink): LinkDraft {
  const { label = '', title = '', message = '', from = '', caps, singleUse, expiresAt } = link
  const { maxFileCount, maxFileSize, maxTotalBytes } = caps
  return {
    ...EMPTY,
    label,
    title,
    message,
    from,
    singleUse,
    expiry: expiresAt === undefined ? 'never' : 'date',
    date: expiresAt === undefined ? '' : dayOf(millisecondsOf(expiresAt)),
    maxFiles: maxFileCount === undefined ? '' : String(maxFileCount),
    maxFileSize: sizeDraftOf(maxFileSize),
    maxTotal: sizeDraftOf(maxTotalBytes),
    noTotalLimit: maxTotalBytes === undefined,
    ...askedDraftOf(link),
  }
}

/** The form for a new link with the limits of another, which lives as long from now as that one from its creation. */
export function copyOf(link: OwnLink, nowMs: number): LinkDraft {
  const draft = draftOf(link)
  if (link.expiresAt === undefined) return draft
  const lifetimeMs = Math.max(0, millisecondsOf(link.expiresAt) - millisecondsOf(link.createdAt))
  const days = Math.round(lifetimeMs / DAY_MS)
  const usual = (['day', 'week', 'month'] as const).find((expiry) => DAYS[expiry] === days)
  return usual === undefined ? { ...draft, date: dayOf(nowMs + lifetimeMs) } : { ...draft, expiry: usual, date: '' }
}

/** A calendar day of the owner. */
function dayOf(ms: number): string {
  const at = new Date(ms)
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${at.getFullYear()}-${month}-${day}`
}

/** To two decimals: the form sends a size only if it is changed. */
function sizeDraftOf(sealedBytes: number | undefined): SizeDraft {
  if (sealedBytes === undefined) return { amount: '', unit: 'GB' }
  const bytes = largestPlaintext(sealedBytes) ?? 0
  const unit = bytes < SIZE_UNITS.GB ? 'MB' : bytes < SIZE_UNITS.TB ? 'GB' : 'TB'
  return { amount: String(Math.round((bytes / SIZE_UNITS[unit]) * 100) / 100), unit }
}

export type DraftFault = 'date' | 'number' | 'size' | 'total' | 'larger_than_total' | 'below_use'
type FieldFaults = Readonly<Partial<Record<'date' | 'maxFiles' | 'maxFileSize' | 'maxTotal', DraftFault>>>
export type DraftFaults = FieldFaults & { readonly asked?: AskedFaults }

const DAY_MS = 86_400_000
const DAYS = { day: 1, week: 7, month: 30 } as const

/** Returns the link to create, or the faults by field. */
export function readDraft(
  draft: LinkDraft,
  nowMs: number,
): { readonly link?: CreateLink; readonly faults: DraftFaults } {
  const expiresAtMs = expiryOf(draft, nowMs)
  const maxFileCount = draft.singleUse ? undefined : wholeNumber(draft.maxFiles)
  const maxFileSize = sizeOf(draft.maxFileSize)
  const maxTotalBytes = draft.noTotalLimit ? 'unlimited' : (sizeOf(draft.maxTotal) ?? Number.NaN)
  const { asked, faults: askedFaults } = readAsked(draft)
  const isBeyondTotal = maxTotalBytes !== 'unlimited' && (maxFileSize ?? 0) > maxTotalBytes
  const faults: DraftFaults = {
    ...(Number.isNaN(expiresAtMs) && { date: 'date' }),
    ...(Number.isNaN(maxFileCount) && { maxFiles: 'number' }),
    ...(Number.isNaN(maxTotalBytes) && { maxTotal: 'total' }),
    ...(isBeyondTotal && { maxFileSize: 'larger_than_total' }),
    ...(Number.isNaN(maxFileSize) && { maxFileSize: 'size' }),
    ...(asked === undefined && { asked: askedFaults }),
  }
  if (Object.keys(faults).length > 0) return { faults }
  const label = draft.label.trim()
  const passphrase = draft.passphrase.trim()
  return {
    faults,
    link: {
      caps: { maxFileCount: draft.singleUse ? undefined : (maxFileCount ?? 'unlimited'), maxFileSize, maxTotalBytes },
      singleUse: draft.singleUse,
      ...(label === '' ? {} : { label }),
      ...(draft.title === '' ? {} : { title: draft.title }),
      ...(draft.message === '' ? {} : { message: draft.message }),
      ...(draft.from === '' ? {} : { from: draft.from }),
      ...asked,
      ...(passphrase === '' ? {} : { passphrase }),
      ...(expiresAtMs === undefined ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
    },
  }
}

/** Returns what the owner has changed of a link, or the faults by field. */
export function readChange(
  draft: LinkDraft,
  link: OwnLink,
  nowMs: number,
): { readonly change?: ChangeLink; readonly faults: DraftFaults } {
  const before = draftOf(link)
  const isKept = (...fields: readonly (keyof LinkDraft)[]) =>
    fields.every((field) => JSON.stringify(draft[field]) === JSON.stringify(before[field]))
  const keepsExpiry = isKept('expiry', 'date')
  // The day of a link that has expired is past, and may stay.
  const read = readDraft(keepsExpiry ? { ...draft, expiry: 'never' } : draft, nowMs)
  if (read.link === undefined) return { faults: read.faults }
  const { caps: { maxFileCount, maxFileSize, maxTotalBytes } = {}, expiresAt } = read.link
  const { label, title, message, from } = draft
  const change: ChangeLink = {
    ...(!isKept('label') && { label: label.trim() }),
    ...(!isKept('title', 'message', 'from', 'questions', 'fileKinds') && {
      forGuests: { title, message, from, ...readAsked(draft).asked },
    }),
    ...(!keepsExpiry && { expiresAt: expiresAt ?? null }),
    ...(!isKept('maxFiles') && { maxFileCount: typeof maxFileCount === 'number' ? maxFileCount : null }),
    ...(!isKept('maxFileSize') && { maxFileSize: maxFileSize ?? null }),
    ...(!isKept('maxTotal', 'noTotalLimit') && {
      maxTotalBytes: typeof maxTotalBytes === 'number' ? maxTotalBytes : null,
    }),
  }
  const faults: DraftFaults = {
    ...((change.maxFileCount ?? Infinity) < link.landedFiles + link.openSessions && { maxFiles: 'below_use' }),
    ...((change.maxTotalBytes ?? Infinity) < link.landedBytes + link.openBytes && { maxTotal: 'below_use' }),
  }
  return Object.keys(faults).length > 0 ? { faults } : { change, faults }
}

/** NaN for an invalid or past day, and for one that ends after the last instant of RFC 3339. */
function expiryOf({ expiry, date }: LinkDraft, nowMs: number): number | undefined {
  if (expiry === 'never') return undefined
  if (expiry !== 'date') return nowMs + DAYS[expiry] * DAY_MS
  // Without an offset this is local time: the end of the owner's day.
  const endMs = /^\d{4}-\d{2}-\d{2}$/.test(date) ? new Date(`${date}T23:59:59`).getTime() : Number.NaN
  return endMs > nowMs ? (instantIn(endMs) ?? Number.NaN) : Number.NaN
}

/** Undefined for an empty text; NaN for an invalid number. */
function wholeNumber(text: string): number | undefined {
  if (text.trim() === '') return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : Number.NaN
}

/** The size of the sealed file, so that a file of exactly the typed size fits. */
function sizeOf({ amount, unit }: SizeDraft): number | undefined {
  if (amount.trim() === '') return undefined
  const bytes = Math.round(Number(amount) * SIZE_UNITS[unit])
  return bytes > 0 && bytes <= 1e15 ? usualSealedBytes(bytes) : Number.NaN
}
