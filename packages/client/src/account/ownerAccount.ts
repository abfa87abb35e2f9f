/** What the server knows about the owner. */
import { normaliseEmail } from '@blindkeep/protocol/email'
import type { AccountResponse, RefusedBecause } from '@blindkeep/protocol/schemas/accounts'
import type { Call } from '../http/call.ts'
import { sendAgainWhenLost } from '../http/lostAnswer.ts'
import { AccountError } from './accountError.ts'

export interface AccountFacts {
  readonly email: string
  /** RFC 3339. */
  readonly createdAt: string
  /** A suspended account can read and delete, and cannot write. */
  readonly isSuspended: boolean
  readonly hasSecondFactor: boolean
  /** Whether the owner has proved the present recovery words (`confirmRecoveryWords`). */
  readonly recoveryWords: AccountResponse['recovery_words']
  /** How many drops wait, and how many may. Undefined if none waits. */
  readonly inbox: { readonly waiting: number; readonly room: number } | undefined
  /** Guests' files for which there was no room, in the last week. */
  readonly refusedDrops: RefusedDrops | undefined
}

/** Within an hour. A guest that tries again counts again. */
export interface RefusedDrops {
  readonly why: RefusedBecause
  readonly count: number
  /** RFC 3339. */
  readonly firstAt: string
  readonly lastAt: string
}

export interface OwnerAccount {
  /** Throws `AccountError` `email_differs`, and what a call throws. */
  account(): Promise<AccountFacts>
}

interface OwnAddress {
  readonly call: Call
  /** The owner's, normalised. */
  readonly email: string
}

/** What the server says about the account. Throws `AccountError` for another address, and what a call throws. */
export async function readOwnAccount({ call, email }: OwnAddress): Promise<AccountResponse> {
  const { body } = await call('account')
  if (normaliseEmail(body.email) !== email) throw new AccountError('email_differs')
  return body
}

/**
 * After a new password: a server, or a proxy in its place, that says "done" may have done nothing. Throws
 * `AccountError` unless the account key is kept as it was sent, and what a call throws.
 */
export async function requireKept(call: Call, sealedAccountKey: string): Promise<void> {
  const { body } = await sendAgainWhenLost(() => call('account'))
  if (body.sealed_account_key !== sealedAccountKey) throw new AccountError('account_key_unreadable')
}

export function createOwnerAccount(own: OwnAddress): OwnerAccount {
  return {
    async account() {
      const answer = await readOwnAccount(own)
      const { created_at: createdAt, state, totp_enabled: hasSecondFactor, inbox, refused_drops: refused } = answer
      return {
        email: own.email,
        createdAt,
        isSuspended: state === 'suspended',
        hasSecondFactor,
        recoveryWords: answer.recovery_words,
        inbox,
        refusedDrops: refused && {
          why: refused.why,
          count: refused.count,
          firstAt: refused.first_at,
          lastAt: refused.last_at,
        },
      }
    },
  }
}
