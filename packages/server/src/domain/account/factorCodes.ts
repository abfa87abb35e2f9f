import type { AccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { SecondFactor, WriteTx } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import { type AttemptSettings, createAttemptLimits } from './attemptLimits.ts'
import { backupCodeHash } from './backupCodes.ts'
import { canonicalCode } from './crockford.ts'
import { stepsOf } from './totp.ts'

/** A code as a caller typed it. */
export interface GivenCode {
  readonly code: string
  readonly source: string | undefined
}

interface CodeOf {
  readonly factor: SecondFactor
  /** Canonical. */
  readonly code: string
}

interface CodePorts {
  readonly clock: Clock
  readonly limiter: Limiter
  readonly keyring: Pick<Keyring, 'seal' | 'open'>
  readonly serverSecret: Uint8Array
}

export type FactorCodes = ReturnType<typeof createFactorCodes>

/** Codes from the authenticator or backup codes. A conditional statement uses one up, so it works once. */
export function createFactorCodes(ports: CodePorts, settings: AttemptSettings) {
  const { clock, keyring, serverSecret } = ports
  const attemptLimits = createAttemptLimits(ports, settings)

  function backupHash(accountId: AccountId, code: string): string {
    return backupCodeHash(serverSecret, accountId, canonicalCode(code))
  }

  /** False for a wrong code of the authenticator, and for one that was used before. */
  async function useTotp(tx: WriteTx, accountId: AccountId, { factor, code }: CodeOf): Promise<boolean> {
    const secret = keyring.open(sealedAs(accountId), factor.sealedSecret)
    for (const step of stepsOf(secret, code, clock.now()))
      if (await tx.secondFactors.useStep(accountId, step)) return true
    return false
  }

  /** False for a wrong code, and for one that was used before. */
  async function use(tx: WriteTx, accountId: AccountId, { factor, code }: CodeOf): Promise<boolean> {
    if (isDigits(code)) return useTotp(tx, accountId, { factor, code })
    return tx.secondFactors.useBackupCode(accountId, backupHash(accountId, code), clock.now())
  }

  /** Runs `check` with the canonical code, within the account's limits for wrong codes. */
  async function check<Answer>(
    accountId: AccountId,
    { code, source }: GivenCode,
    checkCanonical: (canonical: string) => Promise<Answer | 'wrong'>,
  ): Promise<Answer | 'wrong' | Refuses<'attempts_limited'>> {
    const canonical = canonicalCode(code)
    const { forCodes, forBackupCodes } = attemptLimits
    const limits = isDigits(canonical) ? forCodes(accountId, source) : forBackupCodes(accountId, source)
    return attemptLimits.check(
      limits,
      () => checkCanonical(canonical),
      (answer) => answer === 'wrong',
    )
  }

  return {
    sealSecret: (accountId: AccountId, secret: Uint8Array): Uint8Array => keyring.seal(sealedAs(accountId), secret),

    backupHash,
    useTotp,
    use,
    check,

    /** `check` for an act that needs a code only where a factor is on. The act asks `mayAct` in its transaction. */
    async checkIfGiven<Answer>(
      accountId: AccountId,
      { code, source }: { readonly code: string | undefined; readonly source: string | undefined },
      act: (canonical: string | undefined) => Promise<Answer | 'wrong'>,
    ): Promise<Answer | 'wrong' | Refuses<'attempts_limited'>> {
      return code === undefined ? act(undefined) : check(accountId, { code, source }, act)
    },

    /** Uses the code up, if a factor is on. False for a wrong code, and for none. */
    async mayAct(tx: WriteTx, accountId: AccountId, canonical: string | undefined): Promise<boolean> {
      const factor = await confirmedFactor(tx, accountId)
      return factor === undefined || (canonical !== undefined && use(tx, accountId, { factor, code: canonical }))
    },

    /** `check` for the code that confirms a new factor. */
    async checkFirst<Answer>(
      accountId: AccountId,
      { code, source }: GivenCode,
      check: (canonical: string) => Promise<Answer | 'wrong'>,
    ): Promise<Answer | 'wrong' | Refuses<'attempts_limited'>> {
      return attemptLimits.check(
        attemptLimits.forFirstCodes(accountId, source),
        () => check(canonicalCode(code)),
        (answer) => answer === 'wrong',
      )
    },

    countAttempt: attemptLimits.countAttempt,
  }
}

export async function confirmedFactor(tx: WriteTx, accountId: AccountId): Promise<SecondFactor | undefined> {
  const factor = await tx.secondFactors.find(accountId)
  return factor?.confirmedAt === undefined ? undefined : factor
}

/** Binds a sealed secret to its account: it opens in no other row. Data on disk: it never changes. */
function sealedAs(accountId: AccountId): string {
  return `totp ${accountId}`
}

function isDigits(canonical: string): boolean {
  return /^\d{6}$/.test(canonical)
}
