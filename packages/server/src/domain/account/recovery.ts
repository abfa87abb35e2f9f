/** Signs in with the recovery words instead of the password. Asks for a second factor that is on. */
import { createHmac, hkdfSync } from 'node:crypto'
import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { isObject } from '@blindkeep/protocol/json'
import {
  COMMITMENT_BYTES,
  FORMAT_BLOB,
  HEADER_BLOCK_BYTES,
  KEY_BYTES,
  SALT_BYTES,
  TAG_BYTES,
} from '@blindkeep/protocol/suites'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Random } from '../../ports/random.ts'
import { type Account, accountLock, type SignInValues, type Store, type WriteTx } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { sha256 } from '../ground/sha256.ts'
import { type AttemptSettings, createAttemptLimits } from './attemptLimits.ts'
import { createChallenges, type GivenChallenge } from './challenges.ts'
import { emailOf } from './email.ts'
import { kdfVersionFault } from './kdf.ts'
import { isKey, type KeyHash, weakKey } from './proofs.ts'
import type { Sessions, TokenPair } from './sessions.ts'
import { replaceSignInKey } from './signInKeyChange.ts'

export interface Recovery {
  readonly email: string
  /** That of the recovery words. */
  readonly provedKey: KeyHash
  /** The new one: the public half. A value below that is undefined stays as it is. */
  readonly signInKey: Uint8Array
  readonly kdfVersion: number | undefined
  readonly salt: Uint8Array | undefined
  readonly sealedAccountKey: Uint8Array | undefined
  readonly source: string | undefined
}

interface RecoveryPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly limiter: Limiter
  readonly sessions: Pick<Sessions, 'begin'>
  /** Keeps decoy keys the same after a restart. */
  readonly serverSecret: Uint8Array
}

/** The size of a sealed account key, as clients make it: one header block, one data segment. */
const HEADER_BLOCKS = 1
const PREAMBLE_BYTES = 1 + SALT_BYTES + COMMITMENT_BYTES + 1
const SEALED_BYTES = PREAMBLE_BYTES + HEADER_BLOCK_BYTES + TAG_BYTES + KEY_BYTES + TAG_BYTES

export type Recoveries = ReturnType<typeof createRecovery>

export function createRecovery(
  { store, clock, random, limiter, sessions, serverSecret }: RecoveryPorts,
  settings: AttemptSettings & { readonly serverId: string },
) {
  const attemptLimits = createAttemptLimits({ limiter }, settings)
  const challenges = createChallenges({ clock, random }, settings)

  function findByEmail(email: string): Promise<Account | undefined> {
    return store.read((tx) => tx.accounts.findByEmail(email))
  }

  /**
   * Applies a recovery. Ends every session, and every sign-in that waits for its second step, and removes every
   * passkey, because a thief may have added one. Words that recover an account are confirmed. The caller read `account`
   * in this transaction, and begins its own session afterwards.
   */
  async function apply(tx: WriteTx, account: Account, recovery: string): Promise<void> {
    const { accountId } = account
    const given = decode(recovery)
    const values = {
      signInKeyHash: given.signInKeyHash,
      kdfVersion: given.kdfVersion ?? account.kdfVersion,
      salt: given.salt ?? account.salt,
      sealedAccountKey: given.sealedAccountKey ?? account.sealedAccountKey,
    }
    const { signInKeyHash: from, recoveryKeyHash } = account
    const at = clock.now()
    const isReplaced = from !== undefined && (await replaceSignInKey(tx, { accountId, from, values, at }))
    if (!isReplaced) throw new Error('a sign-in key changed within a transaction')
    await tx.passkeys.removeOf(accountId)
    if (recoveryKeyHash !== undefined) await tx.accounts.confirmRecoveryKey(accountId, recoveryKeyHash, at)
  }

  return {
    apply,

    /** An account's sealed recovery key. Without one: a decoy, the same to all who cannot open it. */
    async start(
      email: string,
      source: string | undefined,
    ): Promise<{ readonly sealedRecoveryKey: Uint8Array } | Refuses<'request_malformed' | 'attempts_limited'>> {
      const canonical = emailOf(email)
      if (isRefusal(canonical)) return canonical
      const limited = await attemptLimits.countAttempt(source)
      if (limited !== undefined) return limited
      const decoy = decoyKey(serverSecret, canonical)
      const account = await findByEmail(canonical)
      return { sealedRecoveryKey: account?.sealedRecoveryKey ?? decoy }
    },

    /** Sets the new sign-in key and signs in. With a second factor both happen when the challenge is passed. */
    async finish(
      request: Recovery,
    ): Promise<TokenPair | GivenChallenge | Refuses<'request_malformed' | 'recovery_invalid' | 'attempts_limited'>> {
      const { source, provedKey } = request
      const email = emailOfForm(request)
      if (isRefusal(email)) return email
      const limited = await attemptLimits.countAttempt(source)
      if (limited !== undefined) return limited
      const account = await findByEmail(email)
      const isRight = await attemptLimits.check(
        attemptLimits.forRecoveryKeys(email, source),
        async () => isKey(account?.recoveryKeyHash, provedKey),
        (answer) => !answer,
      )
      if (isRefusal(isRight)) return isRight
      if (account === undefined || !isRight) return { refused: 'recovery_invalid' }
      const { accountId } = account
      const session = sessions.begin(accountId, undefined)
      const begin = async (tx: WriteTx) => {
        const present = await tx.accounts.find(accountId)
        if (present === undefined || !isKey(present.recoveryKeyHash, provedKey))
          return { refused: 'recovery_invalid' } as const
        const given = encode({ ...request, signInKeyHash: sha256(request.signInKey) })
        if (present.totpConfirmedAt !== undefined)
          return challenges.create(tx, { accountId, deviceId: undefined, recovery: given })
        await apply(tx, present, given)
        await session.insert(tx)
        return undefined
      }
      const answer =
        (await attemptLimits.countSignIn(account, 'words')) ?? (await store.write([accountLock(accountId)], begin))
      return answer ?? session.pair()
    },
  }
}

function emailOfForm({ kdfVersion, signInKey, email }: Recovery): string | Refuses<'request_malformed'> {
  const detail = kdfVersionFault(kdfVersion) ?? weakKey('/sign_in_key', signInKey)?.detail
  return detail === undefined ? emailOf(email) : { refused: 'request_malformed', detail }
}

/** A value that is undefined stays as it is. */
type GivenValues = Pick<SignInValues, 'signInKeyHash'> & {
  readonly [Name in keyof SignInValues]: SignInValues[Name] | undefined
}

/** For a challenge. */
function encode({ signInKeyHash, kdfVersion, salt, sealedAccountKey }: GivenValues): string {
  return JSON.stringify({
    signInKeyHash: toBase64(signInKeyHash),
    kdfVersion,
    salt: salt && toBase64(salt),
    sealedAccountKey: sealedAccountKey && toBase64(sealedAccountKey),
  })
}

function decode(recovery: string): GivenValues {
  const stored: unknown = JSON.parse(recovery)
  if (!isStored(stored)) throw new Error('a challenge holds no recovery')
  const { signInKeyHash, kdfVersion, salt, sealedAccountKey } = stored
  return {
    signInKeyHash: fromBase64(signInKeyHash),
    kdfVersion,
    salt: salt === undefined ? undefined : fromBase64(salt),
    sealedAccountKey: sealedAccountKey === undefined ? undefined : fromBase64(sealedAccountKey),
  }
}

/** Bytes are base64. */
interface Stored {
  readonly signInKeyHash: string
  readonly kdfVersion?: number
  readonly salt?: string
  readonly sealedAccountKey?: string
}

function isStored(value: unknown): value is Stored {
  if (!isObject(value)) return false
  const { signInKeyHash, kdfVersion, salt, sealedAccountKey } = value
  const areTexts = [salt, sealedAccountKey].every((text) => text === undefined || typeof text === 'string')
  return typeof signInKeyHash === 'string' && areTexts && (kdfVersion === undefined || typeof kdfVersion === 'number')
}

/** Visibly a sealed blob: format, length, number of header blocks. The rest looks random, as sealed bytes do. */
function decoyKey(serverSecret: Uint8Array, email: string): Uint8Array {
  const key = createHmac('sha256', serverSecret).update('recovery-key\0').update(email).digest()
  // The label stays: another one would change every decoy with a release.
  const bytes = new Uint8Array(
    hkdfSync('sha256', key, new Uint8Array(), 'service/made-up-recovery-key/1', SEALED_BYTES),
  )
  bytes[0] = FORMAT_BLOB
  bytes[PREAMBLE_BYTES - 1] = HEADER_BLOCKS
  return bytes
}
