/**
 * Moves the server to another address (decisions/moving.md): one transaction gives it another name, and ends whatever a
 * holder of the old name could use. The caller keeps every node out.
 */
import { utf8 } from '@blindkeep/protocol/bytes'
import type { Instant, KeyId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { MoveConcerns, ReadTx, Store, WriteTx } from '../../ports/store.ts'
import { noteChange } from '../changes/changes.ts'
import { moveIn, requireRoomForMove } from '../custody/keyChanges.ts'
import {
  ANY_PATH,
  announcedMove,
  formerUrls,
  formerUrlsFact,
  publicUrlIn,
  whereabouts,
} from '../discovery/publicUrls.ts'
import { rotateSigningIn } from '../discovery/signingKey.ts'

interface MovePorts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
}

export interface PlannedMove {
  /** Two different origins. */
  readonly from: string
  readonly to: string
  /** The whole address at the new one, without a slash at its end. */
  readonly publicUrl: string
}

export interface MoveOutlook extends MoveConcerns {
  /** The whole address that the server leaves. Undefined if it never started there with a release that notes it. */
  readonly leaves: string | undefined
  /** The whole addresses that it has left before. */
  readonly formerUrls: readonly string[]
  /** Passkeys are of a host: they end if it is another one. */
  readonly endsPasskeys: boolean
  /** All that have signed, and the one that signs until then. */
  readonly keyIds: readonly KeyId[]
  /** The origin that was announced to owners. */
  readonly announced: string | undefined
  /** What the log and its key say that the time is at least. The move cannot be dated before it. */
  readonly notBefore: Instant
}

export interface ServerMove {
  /** 1 for the first. */
  readonly number: number
  readonly retired: KeyId
  readonly active: KeyId
  readonly at: Instant
  /** How many owners hear of it by a channel, after the next start. */
  readonly told: number
}

/** What the move would end. Changes nothing. Throws if the keyring could not sign it, or for one move too many. */
export async function moveOutlook({ store, keyring, clock }: MovePorts, planned: PlannedMove): Promise<MoveOutlook> {
  return store.read(async (tx) => {
    const keys = await tx.keys.attestationKeys()
    const key = keys.find(({ activeTo }) => activeTo === undefined)
    if (key !== undefined) keyring.openAttestationKey(key)
    await requireRoomForMove(tx)
    const head = await tx.receipts.head()
    const here = await whereabouts(tx, planned.from)
    return {
      ...(await tx.moving.concerns(clock.now())),
      leaves: await leftUrl(tx, planned),
      formerUrls: await formerUrls(tx),
      endsPasskeys: endsPasskeys(planned),
      keyIds: keys.map(({ keyId }) => keyId),
      announced: announcedMove(await tx.server.fact('moves_to'), keyring, here)?.serverId,
      notBefore: later(head?.receivedAt, key?.activeFrom),
    }
  })
}

/** One transaction. Throws, and changes nothing, if the server is not at `from` any more, or the keyring is another. */
export async function moveServer({ store, keyring, clock }: MovePorts, planned: PlannedMove): Promise<ServerMove> {
  const created = keyring.createAttestationKey()
  const createdToken = keyring.createTokenKey()
  return store.write(['receipt log', 'chain', 'server'], async (tx) => {
    const { from, to, publicUrl } = planned
    const left = await leftUrl(tx, planned)
    const { number, retired, active, at } = await moveIn(tx, { keyring, clock, created, from, to })
    await tx.server.setFact('former_urls', formerUrlsFact([...(await formerUrls(tx)), left ?? `${from}${ANY_PATH}`]))
    await tx.server.setFact('public_url', utf8(publicUrl))
    await tx.server.removeFact('moves_to')
    await rotateSigningIn(tx, { keyring, clock, created: createdToken })
    await tx.moving.endSessions(at)
    await tx.moving.removeChallenges()
    if (endsPasskeys(planned)) await tx.moving.removePasskeys()
    await tx.moving.removePushChannels()
    return { number, retired, active, at, told: await tell(tx, { from, to }, at) }
  })
}

/** By their channels, after the next start. No node runs that could change their accounts at the same time. */
async function tell(tx: WriteTx, move: { readonly from: string; readonly to: string }, at: Instant): Promise<number> {
  const accountIds = await tx.moving.accountsToTell()
  await Promise.all(accountIds.map((accountId) => noteChange(tx, accountId, { name: 'server.moved', ...move }, at)))
  return accountIds.length
}

/** What the last start noted, or the last move. */
async function leftUrl(tx: Pick<ReadTx, 'server'>, { from }: PlannedMove): Promise<string | undefined> {
  const noted = await publicUrlIn(tx)
  return noted !== undefined && URL.parse(noted)?.origin === from ? noted : undefined
}

function endsPasskeys({ from, to }: PlannedMove): boolean {
  return new URL(from).hostname !== new URL(to).hostname
}

function later(...instants: readonly (Instant | undefined)[]): Instant {
  return Math.max(...instants.map((at) => at ?? 0)) as Instant
}
