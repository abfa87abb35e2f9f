/** Parsers of options. A value that cannot be read ends the command with what can. */
import { type FolderTemplate, parseFolderTemplate } from '@blindkeep/client/folderTemplate'
import { parseSize, SIZE_FORMS } from '@blindkeep/protocol/byteSizes'
import { formatInstant, instantIn, parseInstant } from '@blindkeep/protocol/ids'
import { MAX_LINK_TITLE_CHARACTERS, MAX_SHARE_DOWNLOADS } from '@blindkeep/protocol/suites'
import { type Command, InvalidArgumentError } from 'commander'
import { DURATION_FORMS, parseDuration } from './texts.ts'

export function size(text: string): number {
  return parseSize(text) ?? refuse(`A size is ${SIZE_FORMS}.`)
}

/** Seconds. */
export function duration(text: string): number {
  return parseDuration(text) ?? refuse(`A time is written ${DURATION_FORMS}.`)
}

/** An end as it was given: a duration is counted by the server's clock. */
export type Expiry = { readonly seconds: number } | { readonly at: string }

export function expiry(text: string): Expiry {
  const seconds = parseDuration(text)
  const at = seconds === undefined ? parseInstant(text) : instantIn(Date.now() + seconds * 1000)
  if (at === undefined) return refuse(`A time is written ${DURATION_FORMS}, or as in 2030-12-31T18:00:00Z.`)
  return seconds === undefined ? { at: formatInstant(at) } : { seconds }
}

/** Milliseconds: so long ago, the beginning of a day in this machine's zone, or a time. */
export function pastTime(text: string): number {
  const seconds = parseDuration(text)
  if (seconds !== undefined) return Date.now() - seconds * 1000
  const isDay = parseInstant(`${text}T00:00:00Z`) !== undefined
  const at = isDay ? new Date(`${text}T00:00`).getTime() : parseInstant(text)
  return at ?? refuse(`A time is written ${DURATION_FORMS}, or as in 2026-12-31 or 2026-12-31T18:00:00Z.`)
}

export function newExpiry(text: string): Expiry | 'never' {
  return text === 'never' ? text : expiry(text)
}

const MAX_LIMIT_BYTES = 1e15

/** What a file may be large at most. */
export function sizeLimit(text: string): number {
  const bytes = size(text)
  return bytes > 0 && bytes <= MAX_LIMIT_BYTES ? bytes : refuse('A limit is at least one byte and at most 1 PB.')
}

export function totalLimit(text: string): number | 'unlimited' {
  return text === 'unlimited' ? text : sizeLimit(text)
}

/** As in the pages. Sealed, the server takes at most 4096 bytes of it. */
const MAX_NAME_LENGTH = 200

/** A name that only its owner reads. */
export function name(text: string): string {
  return text.trim() !== '' && text.length <= MAX_NAME_LENGTH
    ? text
    : refuse(`A name has 1 to ${MAX_NAME_LENGTH} characters.`)
}

/** As `name`, or an empty text, which removes it. */
export const newName = (text: string) => atMost(text, MAX_NAME_LENGTH)

/** What guests of a link read. It may be empty. */
export const titleLine = (text: string) => atMost(text, MAX_LINK_TITLE_CHARACTERS.title)
export const messageLine = (text: string) => atMost(text, MAX_LINK_TITLE_CHARACTERS.message)
export const fromLine = (text: string) => atMost(text, MAX_LINK_TITLE_CHARACTERS.from)

function atMost(text: string, characters: number): string {
  return text.length <= characters ? text : refuse(`At most ${characters} characters, please.`)
}

/** At least 1. */
export function count(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : refuse('A number from 1 on is needed.')
}

/** A part of the whole: more than 0 and less than 1. */
export function share(text: string): number {
  const percent = /^\d{1,2}(\.\d{1,6})?%$/.test(text) ? Number(text.slice(0, -1)) : 0
  return percent > 0 ? percent / 100 : refuse('A share is written as in 1% or 0.5%.')
}

export function countOrShare(text: string): { readonly count: number } | { readonly share: number } {
  return text.endsWith('%') ? { share: share(text) } : { count: count(text) }
}

export function countLimit(text: string): number | 'unlimited' {
  return text === 'unlimited' ? text : count(text)
}

/** Of a share. */
export function downloads(text: string): number {
  const many = count(text)
  return many <= MAX_SHARE_DOWNLOADS ? many : refuse(`At most ${MAX_SHARE_DOWNLOADS}, please.`)
}

export function downloadsLimit(text: string): number | 'unlimited' {
  return text === 'unlimited' ? text : downloads(text)
}

export function folderTemplate(text: string): FolderTemplate {
  try {
    return parseFolderTemplate(text)
  } catch (error) {
    if (error instanceof RangeError) return refuse(`${error.message}.`)
    throw error
  }
}

const collectors = new WeakSet<object>()

/** The parser of an option that may be repeated, as its help says: all its values. */
export function each<Value>(parse: (text: string) => Value) {
  const collect = (text: string, before: readonly Value[] = []): readonly Value[] => [...before, parse(text)]
  collectors.add(collect)
  return collect
}

export const eachText = each((text) => text)

/** A text that a program may have none of. */
export const anyText = (text: string) => (text === '' ? undefined : text)

/**
 * Any other option with a value is given once, in every command, or the last one would win without a word. Without a
 * parser of its own a value is not empty: that is a shell's variable which was never set, and would mean no filter, no
 * place or no name.
 */
export function refuseTwiceAndEmpty(command: Command): void {
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    if (option.parseArg !== undefined && collectors.has(option.parseArg)) continue
    let isGiven = false
    command.on(`option:${option.name()}`, (value: string) => {
      if (isGiven) command.error(`error: option '${option.flags}' is given twice. Call the command once for each.`)
      if (option.parseArg === undefined && value === '')
        command.error(`error: option '${option.flags}' is given without a value.`)
      isGiven = true
    })
  }
  for (const sub of command.commands) refuseTwiceAndEmpty(sub)
}

function refuse(message: string): never {
  throw new InvalidArgumentError(message)
}
