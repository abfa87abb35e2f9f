import { normaliseEmail } from '@blindkeep/protocol/email'
import type { Refuses } from '../ground/refusals.ts'

/** Says nothing about accounts: the text alone decides. */
const NOT_PLAIN = { refused: 'request_malformed', detail: '/email must be a plain e-mail address' } as const

/**
 * The form in which e-mails are stored, compared, counted and made into decoys. Refuses what is no plain address: two
 * addresses that look alike, or that differ only in invisible characters, would otherwise be two accounts.
 */
export function emailOf(given: string): string | Refuses<'request_malformed'> {
  return normaliseEmail(given) ?? NOT_PLAIN
}
