/** What the server knows about the owner. */
import { normaliseEmail } from '@blindkeep/protocol/email'
import type { AccountResponse } from '@blindkeep/protocol/schemas/accounts'
import type { Call } from '../http/call.ts'
import { AccountError } from './accountError.ts'

export interface AccountFacts {
  readonly email: string
  /** RFC 3339. */
  readonly createdAt: string
  /** A suspended account can read and delete, and cannot write. */
  readonly isSuspended: boolean
  readonly hasSecondFactor: boolean
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

/** What the server says about the account. Throws `AccountError` when it names another address than the owner's, and what a call throws. */
export async function readOwnAccount({ call, email }: OwnAddress): Promise<AccountResponse> {
  const { body } = await call('account')
  if (normaliseEmail(body.email) !== email) throw new AccountError('email_differs')
  return body
}

export function createOwnerAccount(own: OwnAddress): OwnerAccount {
  return {
    async account() {
      const { created_at: createdAt, state, totp_enabled: hasSecondFactor } = await readOwnAccount(own)
      return { email: own.email, createdAt, isSuspended: state === 'suspended', hasSecondFactor }
    },
  }
}
