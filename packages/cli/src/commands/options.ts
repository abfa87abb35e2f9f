/** Parsers of options. A value that cannot be read ends the command with what can. */
import { parseSize, SIZE_FORMS } from '@blindkeep/protocol/byteSizes'
import { InvalidArgumentError } from 'commander'
import { DURATION_FORMS, parseDuration } from '../texts.ts'

export function size(text: string): number {
  return parseSize(text) ?? refuse(`A size is ${SIZE_FORMS}.`)
}

/** Seconds. */
export function duration(text: string): number {
  return parseDuration(text) ?? refuse(`A time is written ${DURATION_FORMS}.`)
}

/** At least 1. */
export function count(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : refuse('A number from 1 on is needed.')
}

function refuse(message: string): never {
  throw new InvalidArgumentError(message)
}
