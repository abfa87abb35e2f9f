/** The passkeys of an account: each opens a session and the account key without the password. */
import { type Bytes, fromBase64, toBase64, uuidBytes } from '@blindkeep/protocol/bytes'
import { type AccountId, type PasskeyId, parsePasskeyId } from '@blindkeep/protocol/ids'
import { SALT_BYTES } from '@blindkeep/protocol/suites'
import { createCalls } from '../http/call.ts'
import { sendAgainWhenLost } from '../http/lostAnswer.ts'
import { callProved, publicKeyOf } from '../http/proof.ts'
import { passkeySignInSeed } from '../seal/derive.ts'
import { newId } from '../seal/newId.ts'
import { sealPasskeyKey } from '../seal/passkeyKey.ts'
import { openGivenName, sealName } from '../seal/sealedName.ts'
import { AccountError } from './accountError.ts'
import { type OwnPasswordPorts, type PasswordKeys, presentKeys } from './masterOf.ts'
import { isOpenedBy } from './openAccountKey.ts'
import { readOwnAccount } from './ownerAccount.ts'
import { withPassword } from './passwordWrong.ts'
import { sessionOf } from './signIn.ts'

export interface OwnPasskey {
  readonly passkeyId: PasskeyId
  /** The authenticator's own id. */
  readonly credentialId: Bytes
  readonly name: string | undefined
  /** Set when the name does not open as that of this passkey: the owner of this account key has not added it. */
  readonly nameFault: string | undefined
  /** RFC 3339. */
  readonly createdAt: string
  /** RFC 3339: when it last signed in; undefined if it never did. */
  readonly lastUsedAt: string | undefined
}

/** A passkey that the authenticator can make now. */
export interface PreparedPasskey {
  /** 16 bytes: the user handle of WebAuthn. */
  readonly userHandle: Bytes
  /** Ids of the authenticators' own: one that has such a passkey should not make another. */
  readonly present: readonly Bytes[]
  /** Whether `add` needs a code of the second factor. */
  readonly needsCode: boolean
  /**
   * Stores it. Throws `ProblemError` `error.auth.totp_invalid_code` (call it again with another code) and
   * `error.request.limit_reached`, `PasswordWrong` when the password was changed meanwhile, `RangeError` for an output
   * of another length or a name of more than 600 bytes, and what a call throws.
   */
  add(made: MadePasskey): Promise<PasskeyId>
  /** Removes what a failed `add` may have stored: only its answer may have been lost. Throws what a call throws. */
  discard(): Promise<void>
}

/** What the authenticator answered. */
export interface MadePasskey {
  readonly credentialId: Uint8Array
  /** 32 bytes, SECRET: of the PRF extension for `PASSKEY_INPUT`. */
  readonly output: Uint8Array
  readonly name?: string | undefined
  readonly code?: string | undefined
}

export interface OwnerPasskeys {
  /** Oldest first, at most 20. */
  passkeys(): Promise<readonly OwnPasskey[]>
  /**
   * Takes the password, before an authenticator is asked for anything. Throws `PasswordWrong`, `AccountError`, and what
   * a call throws: `error.auth.rate_limited` after too many wrong passwords. Takes about a second.
   */
  preparePasskey(present: { readonly password: string }): Promise<PreparedPasskey>
  /** An empty name removes it. Throws `RangeError` above 600 bytes, and `error.passkey.not_found`. */
  namePasskey(passkeyId: PasskeyId, name: string): Promise<void>
  /** Ends the sessions that it opened, except this client's. No error when it was removed before. */
  removePasskey(passkeyId: PasskeyId): Promise<void>
}

interface PasskeyPorts extends OwnPasswordPorts {
  readonly accountId: AccountId
  readonly accountKey: Bytes
}

export function createOwnerPasskeys({ accountId, accountKey, ...own }: PasskeyPorts): OwnerPasskeys {
  const { calls, environment, email } = own
  const { call } = calls
  const nameSeal = (passkeyId: PasskeyId) =>
    ({ key: accountKey, purpose: 'passkey-name', contextId: uuidBytes(passkeyId) }) as const

  /** Each try has the same salt, so the same members: a call after a lost answer is a repeat for the server. */
  async function add(
    seed: Bytes,
    { passkeyId, salt }: { readonly passkeyId: PasskeyId; readonly salt: Bytes },
    { credentialId, output, name, code }: MadePasskey,
  ): Promise<PasskeyId> {
    const seal = { output, passkeyId: uuidBytes(passkeyId), salt }
    const sealedName = await sealName(nameSeal(passkeyId), name)
    const body = {
      seed,
      ...(code === undefined ? {} : { code }),
      passkey_id: passkeyId,
      credential_id: toBase64(credentialId),
      passkey_key: publicKeyOf(passkeySignInSeed(output)),
      sealed_passkey_key: toBase64(await sealPasskeyKey(seal, { accountId, accountKey, email })),
      ...(sealedName && { sealed_name: toBase64(sealedName) }),
    }
    await withPassword(() => sendAgainWhenLost(() => callProved(calls, 'addPasskey', body)))
    return passkeyId
  }

  async function removePasskey(passkeyId: PasskeyId): Promise<void> {
    await call('removePasskey', { path: { passkey_id: passkeyId } })
  }

  return {
    async passkeys() {
      const { body } = await call('listPasskeys')
      const listed: OwnPasskey[] = []
      for (const entry of body.passkeys) {
        const { text: name, fault } = await openGivenName(nameSeal(entry.passkey_id), entry.sealed_name)
        listed.push({
          passkeyId: entry.passkey_id,
          credentialId: fromBase64(entry.credential_id),
          name,
          nameFault: fault,
          createdAt: entry.created_at,
          lastUsedAt: entry.last_used_at ?? undefined,
        })
      }
      return listed
    },

    async preparePasskey({ password }) {
      const keys = await presentKeys(own, password)
      const account = await readOwnAccount({ call, email })
      // Otherwise the server would refuse the new passkey later.
      if (!(await isOpenedBy(keys.master, account, accountKey))) {
        await requireAccepted(own, keys)
        throw new AccountError('account_key_unreadable')
      }
      const { body } = await call('listPasskeys')
      const passkeyId = newId(environment, parsePasskeyId)
      const salt = environment.randomBytes(SALT_BYTES)
      return {
        userHandle: uuidBytes(passkeyId),
        present: body.passkeys.map((entry) => fromBase64(entry.credential_id)),
        needsCode: account.totp_enabled,
        add: (made) => add(keys.seed, { passkeyId, salt }, made),
        discard: () => removePasskey(passkeyId),
      }
    },

    async namePasskey(passkeyId, name) {
      const sealed = await sealName(nameSeal(passkeyId), name)
      const body = { sealed_name: sealed === undefined ? null : toBase64(sealed) }
      await call('namePasskey', { path: { passkey_id: passkeyId }, body })
    },

    removePasskey,
  }
}

/** Signs in and out again: the server may have altered what the password opens. Throws `PasswordWrong`. */
async function requireAccepted({ calls, environment }: OwnPasswordPorts, { email, seed }: PasswordKeys): Promise<void> {
  const answer = await withPassword(() => callProved(calls, 'login', { seed, email }))
  if (answer.status === 202) return
  const tokens = await sessionOf(calls, answer.body, {})
  await createCalls({ ...calls.address, fetch: environment.fetch, tokens }).call('logout')
}
