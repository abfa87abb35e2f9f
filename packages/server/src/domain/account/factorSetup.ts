import type { AccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import { type Account, accountLock, type Store, type WriteTx } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { Accounts } from './accounts.ts'
import { newBackupCodes } from './backupCodes.ts'
import { confirmedFactor, type FactorCodes, type GivenCode } from './factorCodes.ts'
import type { KeyHash } from './proofs.ts'
import { isStillSignInKey } from './signInKeyChange.ts'
import { provisioningUri, TOTP_SECRET_BYTES } from './totp.ts'

interface SetupPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly accounts: Pick<Accounts, 'requireSignInKey'>
  readonly codes: FactorCodes
}

/** How an owner turns a second factor on and off, and gets new backup codes. */
export function createFactorSetup(ports: SetupPorts, { publicUrl }: { readonly publicUrl: string }) {
  const { store, random, accounts, codes } = ports
  return {
    /** Makes a secret that waits to be confirmed. It replaces one that waited before. */
    async enroll(
      account: Account,
      { provedKey, source }: { readonly provedKey: KeyHash; readonly source: string | undefined },
    ): Promise<
      { readonly provisioningUri: string } | Refuses<'credentials_wrong' | 'attempts_limited' | 'totp_already_active'>
    > {
      const refusal = await accounts.requireSignInKey(account, provedKey, source)
      if (refusal !== undefined) return refusal
      const { accountId, email } = account
      const totpSecret = random.bytes(TOTP_SECRET_BYTES)
      const sealed = codes.sealSecret(accountId, totpSecret)
      const refused = await store.write([accountLock(accountId)], async (tx) => {
        if (!(await isStillSignInKey(tx, account, provedKey))) return { refused: 'credentials_wrong' } as const
        const isEnrolled = await tx.secondFactors.enroll(accountId, sealed)
        return isEnrolled ? undefined : ({ refused: 'totp_already_active' } as const)
      })
      return refused ?? { provisioningUri: provisioningUri({ secret: totpSecret, publicUrl, email }) }
    },

    /**
     * Turns the factor on: from now on a sign-in asks for it. Other sessions stay, as they proved all that was asked
     * then. This is the only time that its backup codes are shown.
     */
    async confirm(
      { accountId }: Account,
      given: GivenCode,
    ): Promise<
      { readonly backupCodes: readonly string[] } | Refuses<'attempts_limited' | 'totp_code_wrong' | 'totp_not_pending'>
    > {
      const backupCodes = newBackupCodes(random)
      const hashes = backupCodes.map((code) => codes.backupHash(accountId, code))
      const answer = await codes.checkFirst(accountId, given, (code) => confirmWith(ports, accountId, { code, hashes }))
      if (answer === 'confirmed') return { backupCodes }
      if (isRefusal(answer)) return answer
      return { refused: answer === 'wrong' ? 'totp_code_wrong' : 'totp_not_pending' }
    },

    /** Removes the factor, its backup codes, and every sign-in that waits for one of its codes. */
    async disable(account: Account, given: ProvingFactor): Promise<FactorRefusal | undefined> {
      return changeProven(ports, account, { ...given, change: (tx) => removeSecondFactor(tx, account.accountId) })
    },

    /** Replaces all backup codes, used or not. This is the only time that the new ones are shown. */
    async renewBackupCodes(
      account: Account,
      given: ProvingFactor,
    ): Promise<{ readonly backupCodes: readonly string[] } | FactorRefusal> {
      const { accountId } = account
      const backupCodes = newBackupCodes(random)
      const hashes = backupCodes.map((code) => codes.backupHash(accountId, code))
      const change = (tx: WriteTx) => tx.secondFactors.setBackupCodes(accountId, hashes)
      return (await changeProven(ports, account, { ...given, change })) ?? { backupCodes }
    },
  }
}

export interface ProvingFactor extends GivenCode {
  readonly provedKey: KeyHash
}

type FactorRefusal = Refuses<'credentials_wrong' | 'attempts_limited' | 'totp_code_wrong' | 'totp_not_enrolled'>

function confirmWith(
  { store, clock, codes }: SetupPorts,
  accountId: AccountId,
  { code, hashes }: { readonly code: string; readonly hashes: readonly string[] },
): Promise<'confirmed' | 'wrong' | 'not pending'> {
  return store.write([accountLock(accountId)], async (tx) => {
    const factor = await tx.secondFactors.find(accountId)
    if (factor === undefined || factor.confirmedAt !== undefined) return 'not pending'
    if (!(await codes.useTotp(tx, accountId, { factor, code }))) return 'wrong'
    if (!(await tx.secondFactors.confirm(accountId, clock.now()))) return 'not pending'
    await tx.secondFactors.setBackupCodes(accountId, hashes)
    return 'confirmed'
  })
}

/** Makes a change to a factor that is on, after the present sign-in key and a code of either kind. */
async function changeProven(
  { store, accounts, codes }: SetupPorts,
  account: Account,
  { provedKey, change, ...given }: ProvingFactor & { readonly change: (tx: WriteTx) => Promise<void> },
): Promise<FactorRefusal | undefined> {
  const refusal = await accounts.requireSignInKey(account, provedKey, given.source)
  if (refusal !== undefined) return refusal
  const { accountId } = account
  const answer = await codes.check(accountId, given, (code) =>
    store.write([accountLock(accountId)], async (tx) => {
      if (!(await isStillSignInKey(tx, account, provedKey))) return { refused: 'credentials_wrong' } as const
      const factor = await confirmedFactor(tx, accountId)
      if (factor === undefined) return 'not enrolled'
      if (!(await codes.use(tx, accountId, { factor, code }))) return 'wrong'
      await change(tx)
      return 'done'
    }),
  )
  if (answer === 'done') return undefined
  if (isRefusal(answer)) return answer
  return { refused: answer === 'wrong' ? 'totp_code_wrong' : 'totp_not_enrolled' }
}

/** Removes an account's second factor in any state, its backup codes, and sign-ins that wait for a code. */
export async function removeSecondFactor(tx: WriteTx, accountId: AccountId): Promise<void> {
  await tx.secondFactors.remove(accountId)
  await tx.challenges.removeOf(accountId)
}
