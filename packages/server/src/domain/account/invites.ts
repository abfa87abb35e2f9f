/** Invite codes of the operator. Each makes one account. The server stores only a code's hash. */
import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Account, Invite, ReadTx, Store, WriteTx } from '../../ports/store.ts'
import { sha256 } from '../ground/sha256.ts'
import { canonicalCode, newCode } from './crockford.ts'

export interface IssuedInvite {
  /** For the invited person. The operator sees it once. */
  readonly code: string
  readonly expiresAt: Instant
}

export interface ListedInvite extends Invite {
  /** Names the invite, and is of no use to register: the first characters of its code's hash. */
  readonly inviteId: string
  readonly state: 'live' | 'used' | 'expired'
  /** Of the account that was made with it, unless that account is deleted. */
  readonly email: string | undefined
}

/** 160 bits. */
const FORM = { characters: 32, groupCharacters: 4 }
const DAY_SECONDS = 86_400
export const INVITE_DAYS = 7
export const MAX_INVITE_DAYS = 365
const MAX_LISTED = 10_000
/** Shorter than a code. Two of 10,000 invites are the same with a chance of 2^-22. */
const ID_CHARACTERS = 12
/** After it has expired. Until then the owner can repeat a registration whose answer was lost. */
export const INVITES_KEPT_SECONDS = 30 * DAY_SECONDS

interface InvitePorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}

export type Invites = ReturnType<typeof createInvites>

export function createInvites({ store, clock, random }: InvitePorts) {
  function newInvite(days: number): IssuedInvite & Pick<Invite, 'codeHash' | 'createdAt'> {
    const code = newCode(random, FORM)
    const createdAt = clock.now()
    return { code, codeHash: hashOfCode(code), createdAt, expiresAt: addSeconds(createdAt, days * DAY_SECONDS) }
  }

  return {
    /** `note`: for the operator's own list. */
    async issue(days: number, note?: string): Promise<IssuedInvite> {
      const { code, ...row } = newInvite(days)
      await store.write([], (tx) => tx.invites.insert({ ...row, note }))
      return { code, expiresAt: row.expiresAt }
    },

    /** The first invite of a new server. Undefined when there is an account, or an invite that is still valid. */
    async issueFirst(): Promise<IssuedInvite | undefined> {
      const { code, ...row } = newInvite(INVITE_DAYS)
      const isIssued = await store.write(['server'], async (tx) => {
        const [account] = await tx.accounts.list({ afterEmail: undefined, max: 1 })
        if (account !== undefined || (await tx.invites.hasLive(row.createdAt))) return false
        await tx.invites.insert({ ...row, note: undefined })
        return true
      })
      return isIssued ? { code, expiresAt: row.expiresAt } : undefined
    },

    /** By its code, or by the id that `list` gives. Nothing changes if it was used, or is unknown. */
    async revoke(named: string): Promise<'revoked' | 'used' | 'unknown'> {
      const invite = await store.read((tx) => findNamed(tx, named))
      if (invite === undefined) return 'unknown'
      const isRevoked = await store.write([], (tx) => tx.invites.revoke(invite.codeHash))
      return isRevoked ? 'revoked' : 'used'
    },

    /** Oldest first. */
    async list(): Promise<readonly ListedInvite[]> {
      return store.read(async (tx) => {
        const listed: ListedInvite[] = []
        for (const invite of await tx.invites.list(MAX_LISTED)) {
          const account = invite.usedBy && (await tx.accounts.find(invite.usedBy))
          const email = account && account.deletedAt === undefined ? account.email : undefined
          listed.push({ ...invite, inviteId: idOf(invite), state: stateOf(invite, clock.now()), email })
        }
        return listed
      })
    },
  }
}

/** The invite with this code, live or used. Undefined for an expired one, or for none. */
export async function findInvite(
  tx: ReadTx | WriteTx,
  code: string | undefined,
  at: Instant,
): Promise<{ readonly codeHash: string; readonly usedBy: Account['accountId'] | undefined } | undefined> {
  const invite = code === undefined ? undefined : await tx.invites.find(hashOfCode(code))
  return invite === undefined || stateOf(invite, at) === 'expired' ? undefined : invite
}

async function findNamed(tx: ReadTx, named: string): Promise<Invite | undefined> {
  if (named.length !== ID_CHARACTERS) return tx.invites.find(hashOfCode(named))
  return (await tx.invites.list(MAX_LISTED)).find((invite) => idOf(invite) === named.toLowerCase())
}

function idOf({ codeHash }: Invite): string {
  return codeHash.slice(0, ID_CHARACTERS)
}

function hashOfCode(typed: string): string {
  return Buffer.from(sha256(Buffer.from(canonicalCode(typed), 'utf8'))).toString('hex')
}

function stateOf({ usedBy, expiresAt }: Invite, at: Instant): ListedInvite['state'] {
  if (usedBy !== undefined) return 'used'
  return at < expiresAt ? 'live' : 'expired'
}
