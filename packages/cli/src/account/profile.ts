/** A profile: one account on one server, as this machine knows it. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PrefixStore, RevocationStore, Revocations, TokenPair } from '@blindkeep/client/owner'
import type { AccountId, DeviceId } from '@blindkeep/protocol/ids'
import { unlessMissing } from '../ground/disk.ts'
import { UsageError } from '../ground/exits.ts'
import type { ReportFlags } from '../ground/report.ts'
import { whileAlone } from '../home/claims.ts'
import { hasTexts, type Reading } from '../home/damaged.ts'
import { homeDirectory } from '../home/files.ts'
import { prefixStore } from '../home/prefixes.ts'
import { isSealed, openVault, type Vault } from '../home/vault.ts'

/** The flags of every command of an owner. */
export interface OwnerFlags extends ReportFlags {
  readonly profile?: string
  /** Answers every question with yes. */
  readonly yes?: boolean
}

/** SECRET. */
export interface KeptAccount {
  readonly server: string
  readonly email: string
  readonly accountId: AccountId
  /** base64. */
  readonly accountKey: string
}

/** The device that this profile signs with. It stays after a sign-out. */
export interface KeptDevice {
  readonly server: string
  readonly accountId: AccountId
  readonly deviceId: DeviceId
  /** The address of the server before it was followed for the first time. */
  readonly firstServer?: string
  /** Sealed under the account's key (`sealDevice`), base64. */
  readonly sealed: string
}

export interface Profile {
  readonly name: string
  readonly home: string
  /** For what commands remember of this account. */
  readonly directory: string
  readonly vault: Vault
  /** Undefined while no account is signed in. */
  account(): Promise<KeptAccount | undefined>
  tokens(): Promise<TokenPair | undefined>
  device(): Promise<KeptDevice | undefined>
  readonly revocations: RevocationStore
  readonly prefixes: PrefixStore
  /** Runs `work` while no other process changes this profile. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}

/** What `find` keeps of the names of drops; deleted at the end of a session. */
export const namesOf = (accountId: AccountId) => `names-${accountId}`

export const DEFAULT_PROFILE = 'default'
const NAME = /^[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,63}$/
/** Longer than a request may take. */
const WAIT_MS = 60_000

/** `keyring`: whether secrets are sealed from now on. Without it the profile goes on as it began. */
export async function openProfile(
  { profile }: Pick<OwnerFlags, 'profile'>,
  keyring?: boolean | undefined,
  home = homeDirectory(),
): Promise<Profile> {
  const name = profile ?? (process.env.BLINDKEEP_PROFILE || DEFAULT_PROFILE)
  if (!NAME.test(name))
    throw new UsageError('the name of a profile has letters, digits, dots, dashes and underscores only.')
  const directory = join(home, 'profiles', name)
  const vault = openVault({ directory, keyring: keyring ?? (await isSealed({ directory }, 'account')) })
  const alone = <Result>(work: () => Promise<Result>) =>
    whileAlone({ home, path: join(directory, 'profile'), doing: 'changes this profile', waitMs: WAIT_MS }, work)
  const kept = <Kept>(name: string, members: readonly (keyof Kept & string)[]): Promise<Kept | undefined> => {
    const is = (json: unknown): json is Kept => hasTexts(json, members)
    return vault.read(name, { is, says: 'who is signed in here', without: 'and sign in again: blindkeep login' })
  }
  return {
    name,
    home,
    directory,
    vault,
    alone,
    account: () => kept<KeptAccount>('account', ['server', 'email', 'accountId', 'accountKey']),
    tokens: () => kept<TokenPair>('tokens', ['accountId', 'accessToken', 'refreshToken', 'expiresAt']),
    device: () => kept<KeptDevice>('device', ['server', 'accountId', 'deviceId', 'sealed']),
    revocations: revocationStore(vault, alone),
    prefixes: prefixStore(home, directory),
  }
}

/** Their names. */
export async function signedInProfiles(home: string): Promise<readonly string[]> {
  const names = (await readdir(join(home, 'profiles')).catch(unlessMissing)) ?? []
  return names.filter((name) => existsSync(join(home, 'profiles', name, 'account.json'))).sort()
}

const REVOCATIONS: Reading<readonly [DeviceId, string][]> = {
  is: (json): json is [DeviceId, string][] =>
    Array.isArray(json) && json.every((each) => Array.isArray(each) && each.length === 2 && hasTexts(each)),
  says: 'which devices were seen as revoked',
  without: 'to believe the server’s list of them',
}

function revocationStore(vault: Vault, alone: Profile['alone']): RevocationStore {
  const load = async (): Promise<Revocations> => new Map((await vault.read('revocations', REVOCATIONS)) ?? [])
  return {
    load,
    // A later entry of a map replaces an earlier one: the time that was seen first stays.
    save: (added) => alone(async () => vault.write('revocations', [...new Map([...added, ...(await load())])])),
  }
}
