/** A guest's answer as people read it. What does not have the form of its kind stays as it is. */
import type { Question } from '@blindkeep/client/questions'
import { parseInstant } from '@blindkeep/protocol/ids'
import type { Formats } from './format.ts'

const day = /^\d{4}-\d{2}-\d{2}$/u
const decimals = /^-?\d+\.\d+$/u

export function readableAnswer(kind: Question['kind'] | undefined, value: string, format: Formats): string {
  // Without separators of thousands: a person may type it again.
  if (kind === 'number' && decimals.test(value)) return value.replace('.', format.decimalSign())
  const midnight = `${value}T00:00:00Z`
  const isDay = kind === 'date' && day.test(value) && parseInstant(midnight) !== undefined
  return isDay ? format.day(midnight) : value
}
