import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Account, Invite, ReadTx, Store, WriteTx } from '../../ports/store.ts'
import { sha256 } from '../sha256.ts'
import { canonicalCode, newCode } from './crockford.ts'

/** Codes by which an operator lets people register. Each is good for one account, and is kept as its hash alone. */
export interface IssuedInvite {
  /** For the one who is invited; shown once, as it can't be had again. */
  readonly code: string
  readonly expiresAt: Instant
}

/** What becomes of an invite that somebody came with. */
export interface ListedInvite extends Invite {
  readonly state: 'live' | 'used' | 'expired'
  /** Of the account that was made with it, unless that was deleted. */
  readonly email: string | undefined
}

/** 160 bits. */
const FORM = { characters: 32, groupCharacters: 4 }
const DAY_SECONDS = 86_400
export const INVITE_DAYS = 7
export const MAX_INVITE_DAYS = 365
const MAX_LISTED = 10_000
/** After its end, so that a registration whose answer was lost is known again for that long. */
export const INVITES_KEPT_SECONDS = 30 * DAY_SECONDS

interface InvitePorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}

export type Invites = ReturnType<typeof createInvites>

export function createInvites({ store, clock, random }: InvitePorts) {
  function made(days: number): IssuedInvite & Pick<Invite, 'codeHash' | 'createdAt'> {
    const code = newCode(random, FORM)
    const createdAt = clock.now()
    return { code, codeHash: hashOfCode(code), createdAt, expiresAt: addSeconds(createdAt, days * DAY_SECONDS) }
  }

  return {
    async issue(days: number): Promise<IssuedInvite> {
      const { code, ...row } = made(days)
      await store.write((tx) => tx.invites.insert(row))
      return { code, expiresAt: row.expiresAt }
    },

    /** For a server where nobody could get in: undefined when there is an account, or an invite that is still good. */
    async issueFirst(): Promise<IssuedInvite | undefined> {
      const { code, ...row } = made(INVITE_DAYS)
      const isIssued = await store.write(async (tx) => {
        const [anyone] = await tx.accounts.list({ afterEmail: undefined, max: 1 })
        if (anyone !== undefined || (await tx.invites.hasLive(row.createdAt))) return false
        await tx.invites.insert(row)
        return true
      })
      return isIssued ? { code, expiresAt: row.expiresAt } : undefined
    },

    /** Oldest first. */
    async list(): Promise<readonly ListedInvite[]> {
      return store.read(async (tx) => {
        const listed: ListedInvite[] = []
        for (const invite of await tx.invites.list(MAX_LISTED)) {
          const account = invite.usedBy && (await tx.accounts.find(invite.usedBy))
          const email = account && account.deletedAt === undefined ? account.email : undefined
          listed.push({ ...invite, state: stateOf(invite, clock.now()), email })
        }
        return listed
      })
    },
  }
}

/** What a code is at this moment: good for a new account; what an account was made with; or nothing. */
export async function findInvite(
  tx: ReadTx | WriteTx,
  code: string | undefined,
  at: Instant,
): Promise<{ readonly codeHash: string; readonly usedBy: Account['accountId'] | undefined } | undefined> {
  const invite = code === undefined ? undefined : await tx.invites.find(hashOfCode(code))
  return invite === undefined || stateOf(invite, at) === 'expired' ? undefined : invite
}

/** However it was typed. */
function hashOfCode(code: string): string {
  return Buffer.from(sha256(Buffer.from(canonicalCode(code), 'utf8'))).toString('hex')
}

function stateOf({ usedBy, expiresAt }: Invite, at: Instant): ListedInvite['state'] {
  if (usedBy !== undefined) return 'used'
  return at < expiresAt ? 'live' : 'expired'
}
