/** Makes an account, also over answers that get lost. */
import { logIn, type Register, registerOwner } from '@blindkeep/client/account'
import { NetworkError, ProblemError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'

export interface Tries {
  /** The answer to an earlier try was lost, so that the account may be there. */
  wasLost: boolean
}

/** What may be said of the very account that an earlier try has made (`registerOwner`). */
const MAYBE_OWN: readonly ProblemError['code'][] = ['error.auth.user_already_exists', 'error.auth.registration_closed']

/**
 * Throws what registering throws. After a try whose answer was lost, a refusal that may be about the caller's own account is settled by signing in:
 * only who has made it knows the password.
 */
export async function register(options: Register, tries: Tries): Promise<Owner> {
  try {
    return await registerOwner(options)
  } catch (error) {
    if (error instanceof NetworkError) tries.wasLost = true
    if (!tries.wasLost || !(error instanceof ProblemError && MAYBE_OWN.includes(error.code))) throw error
    const { owner } = await logIn(options).catch((): { readonly owner?: Owner } => ({}))
    if (owner === undefined) throw error
    return owner
  }
}

export function asksForInvite(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.auth.registration_closed'
}

/** Three places out of the words, in their order, at random: who has not written them down shall notice now. */
export function askedPlaces(count: number, random: (bytes: number) => Uint8Array): readonly number[] {
  const places = Array.from({ length: count }, (_, index) => ({ place: index + 1, lot: random(1)[0] ?? 0 }))
  return places
    .sort((one, other) => one.lot - other.lot)
    .slice(0, ASKED)
    .map(({ place }) => place)
    .sort((one, other) => one - other)
}

const ASKED = 3
