/**
 * Passkeys: WebAuthn credentials that open a session, and an account key, without the password. The client proves a
 * key that follows from what the authenticator's PRF gave it; the server stores its hash and what the client sealed
 * (`decisions/passkeys.md`).
 */
import type { AccountId, DeviceId, PasskeyId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import {
  type Account,
  accountLock,
  type NewPasskey,
  type Passkey,
  type Store,
  type WriteTx,
} from '../../ports/store.ts'
import { judgeBound } from '../ground/bounds.ts'
import type { NewName } from '../ground/newName.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { isSame } from '../ground/sameBytes.ts'
import { sha256 } from '../ground/sha256.ts'
import type { Accounts } from './accounts.ts'
import { type AttemptSettings, createAttemptLimits } from './attemptLimits.ts'
import type { FactorCodes } from './factorCodes.ts'
import { isKey, type KeyHash, weakKey } from './proofs.ts'
import { judgeNamedDevice } from './sessionDevice.ts'
import type { Caller, Sessions, TokenPair } from './sessions.ts'
import { isStillSignInKey } from './signInKeyChange.ts'

export interface PasskeySignIn {
  readonly passkeyId: PasskeyId
  readonly provedKey: KeyHash
  readonly deviceId: DeviceId | undefined
  readonly source: string | undefined
}

export interface PasskeyRequest extends Omit<NewPasskey, 'accountId' | 'createdAt' | 'keyHash'> {
  /** The public half. */
  readonly passkeyKey: Uint8Array
  /** The sign-in key of the account. */
  readonly provedKey: KeyHash
  /** Of the second factor, as it was typed. */
  readonly code: string | undefined
  readonly source: string | undefined
}

export interface AddedPasskey {
  readonly passkey: Passkey
  readonly isRepeat: boolean
}

interface PasskeyPorts {
  readonly store: Store
  readonly clock: Clock
  readonly limiter: Limiter
  readonly accounts: Pick<Accounts, 'requireSignInKey'>
  readonly codes: FactorCodes
  readonly sessions: Pick<Sessions, 'begin'>
}

type AddRefusal = Refuses<
  | 'request_malformed'
  | 'credentials_wrong'
  | 'attempts_limited'
  | 'totp_code_wrong'
  | 'passkey_invalid'
  | 'limit_reached'
>

export type Passkeys = ReturnType<typeof createPasskeys>

export function createPasskeys(ports: PasskeyPorts, settings: AttemptSettings) {
  const { store, clock, accounts, codes, sessions } = ports
  const attemptLimits = createAttemptLimits(ports, settings)

  return {
    /** No second factor: the authenticator verified its owner. Unknown passkey and wrong key look the same. */
    async logIn(
      request: PasskeySignIn,
    ): Promise<TokenPair | Refuses<'credentials_wrong' | 'attempts_limited' | 'device_not_authorized'>> {
      const { passkeyId, provedKey, deviceId, source } = request
      const limited = await attemptLimits.countAttempt(source)
      if (limited !== undefined) return limited
      const found = await store.read((tx) => tx.passkeys.find(passkeyId))
      const isRight = await attemptLimits.check(
        attemptLimits.forPasskeys(passkeyId, source),
        async () => isKey(found?.keyHash, provedKey),
        (answer) => !answer,
      )
      if (isRefusal(isRight)) return isRight
      if (found === undefined || !isRight) return { refused: 'credentials_wrong' }
      const { accountId } = found
      const session = sessions.begin(accountId, deviceId, passkeyId)
      const begin = async (tx: WriteTx) => {
        // It may have been removed since, and its id given to another one.
        const present = await tx.passkeys.find(passkeyId)
        if (present?.accountId !== accountId || !isKey(present.keyHash, provedKey))
          return { refused: 'credentials_wrong' } as const
        const ofDevice = await judgeNamedDevice(tx, { accountId, deviceId })
        if (ofDevice !== undefined) return ofDevice
        await tx.passkeys.noteUse(passkeyId, clock.now())
        await session.insert(tx)
        return undefined
      }
      const beyond = await attemptLimits.countSignIn({ accountId }, 'passkey')
      return beyond ?? (await store.write([accountLock(accountId)], begin)) ?? session.pair()
    },

    /**
     * Requires the present sign-in key, and a code where a second factor is on: the passkey will open sessions without
     * either. A repeat with the same values gets the same answer and needs no other code, as the first one
     * may be used up.
     */
    async add(account: Account, request: PasskeyRequest): Promise<AddedPasskey | AddRefusal> {
      const { provedKey, code, source, passkeyKey, ...values } = request
      const refused =
        weakKey('/passkey_key', passkeyKey) ?? (await accounts.requireSignInKey(account, provedKey, source))
      if (refused !== undefined) return refused
      const { accountId } = account
      const passkey = { ...values, accountId, keyHash: sha256(passkeyKey), createdAt: clock.now() }
      const insert = (canonical: string | undefined) =>
        store.write([accountLock(accountId)], (tx) =>
          insertIn(tx, account, { passkey, provedKey, codes, code: canonical }),
        )
      const answer = await codes.checkIfGiven(accountId, { code, source }, insert)
      return answer === 'wrong' ? { refused: 'totp_code_wrong' } : answer
    },

    list: (accountId: AccountId): Promise<readonly Passkey[]> => store.read((tx) => tx.passkeys.listOf(accountId)),

    /** The owner's own name for a passkey. Undefined removes it. */
    async name(
      accountId: AccountId,
      passkeyId: PasskeyId,
      sealedName: NewName,
    ): Promise<Refuses<'passkey_not_found'> | undefined> {
      return store.write([accountLock(accountId)], async (tx) => {
        const passkey = await tx.passkeys.find(passkeyId)
        if (passkey?.accountId !== accountId) return { refused: 'passkey_not_found' }
        if (sealedName !== 'same') await tx.passkeys.setName(passkeyId, sealedName)
        return undefined
      })
    },

    /** Removes what it sealed and its sessions, except the caller's. Does not tell whether there was one. */
    async remove({ account: { accountId }, sessionId }: Caller, passkeyId: PasskeyId): Promise<void> {
      await store.write([accountLock(accountId)], async (tx) => {
        if (!(await tx.passkeys.remove(passkeyId, accountId))) return
        await tx.sessions.endAllOfPasskey({ accountId, passkeyId }, clock.now(), sessionId)
      })
    },
  }
}

interface Insertion {
  readonly passkey: NewPasskey
  readonly provedKey: KeyHash
  readonly codes: FactorCodes
  /** Canonical. */
  readonly code: string | undefined
}

async function insertIn(
  tx: WriteTx,
  account: Account,
  { passkey, provedKey, codes, code }: Insertion,
): Promise<AddedPasskey | 'wrong' | Refuses<'credentials_wrong' | 'passkey_invalid' | 'limit_reached'>> {
  if (!(await isStillSignInKey(tx, account, provedKey))) return { refused: 'credentials_wrong' }
  const { accountId } = account
  const present = await tx.passkeys.find(passkey.passkeyId)
  if (present !== undefined)
    return isRepeat(present, passkey) ? { passkey: present, isRepeat: true } : { refused: 'passkey_invalid' }
  const overBound = judgeBound('passkeys', (await tx.passkeys.listOf(accountId)).length)
  if (overBound !== undefined) return overBound
  if (!(await codes.mayAct(tx, accountId, code))) return 'wrong'
  if (!(await tx.passkeys.insert(passkey))) return { refused: 'passkey_invalid' }
  return { passkey: { ...passkey, lastUsedAt: undefined }, isRepeat: false }
}

function isRepeat(present: Passkey, passkey: NewPasskey): boolean {
  return (
    present.accountId === passkey.accountId &&
    isSame(present.keyHash, passkey.keyHash) &&
    isSame(present.credentialId, passkey.credentialId) &&
    isSame(present.sealedPasskeyKey, passkey.sealedPasskeyKey)
  )
}
