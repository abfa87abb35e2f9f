/** Creates an account, even when answers get lost. */
import { logIn, type Register, registerOwner } from '@blindkeep/client/account'
import { mayBeDone, ProblemError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'

export interface Attempts {
  /** The answer to an earlier attempt was lost: the account may exist. */
  wasLost: boolean
}

/** Refusals that an account from an earlier attempt can cause (`registerOwner`). */
const MAYBE_OWN: readonly ProblemError['code'][] = ['error.auth.user_already_exists', 'error.auth.registration_closed']

/**
 * Throws what registering throws. After a lost answer, a refusal may mean that the account of an earlier attempt
 * exists. Then this signs in, which proves it: only the user knows the password.
 */
export async function register(options: Register, attempts: Attempts): Promise<Owner> {
  try {
    return await registerOwner(options)
  } catch (error) {
    if (mayBeDone(error)) attempts.wasLost = true
    if (!attempts.wasLost || !(error instanceof ProblemError && MAYBE_OWN.includes(error.code))) throw error
    const { owner } = await logIn(options).catch((): { readonly owner?: Owner } => ({}))
    if (owner === undefined) throw error
    return owner
  }
}

export function needsInvite(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.auth.registration_closed'
}

/** Three random places of the words, in ascending order. A user who has not written the words down notices now. */
export function askedPlaces(count: number, random: (bytes: number) => Uint8Array): readonly number[] {
  const places = Array.from({ length: count }, (_, index) => ({ place: index + 1, rank: random(1)[0] ?? 0 }))
  return places
    .sort((one, other) => one.rank - other.rank)
    .slice(0, ASKED_WORDS)
    .map(({ place }) => place)
    .sort((one, other) => one - other)
}

const ASKED_WORDS = 3
