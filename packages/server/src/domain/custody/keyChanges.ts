/**
 * Changes of the attestation key. Each writes the statement that the key that ends and the key that begins have signed,
 * in the transaction that changes them.
 */
import { utf8 } from '@blindkeep/protocol/bytes'
import { formatInstant, type Instant, instantOf, type KeyId } from '@blindkeep/protocol/ids'
import {
  type KeyChange,
  keyChangeToBeSigned,
  MAX_MOVES,
  MAX_ROTATIONS,
  type RotationPayload,
} from '@blindkeep/protocol/keyChange'
import { keyId } from '@blindkeep/protocol/keys'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { AttestationKey, ReadTx, WriteTx } from '../../ports/store.ts'
import { recordedNameIn } from '../discovery/serverId.ts'
import { countRotations, signedChanges } from '../discovery/signedChanges.ts'

/** The server has changed its key as often as its list of statements can say. The message is for operators. */
export class KeyChangesExhausted extends Error {
  override readonly name = 'KeyChangesExhausted'
}

/** So many rotations are kept for restores, which cannot do without one. */
export const MAX_CHOSEN_ROTATIONS = MAX_ROTATIONS - 100

export interface Rotation {
  readonly retired: KeyId
  readonly active: KeyId
  /** The end of the retired key and the beginning of the active one. */
  readonly at: Instant
}

export interface KeyChangePorts {
  readonly keyring: Keyring
  readonly clock: Clock
  /** Made before the transaction. */
  readonly created: ReturnType<Keyring['createAttestationKey']>
}

export function keyFrom(created: KeyChangePorts['created'], activeFrom: Instant): AttestationKey {
  return { ...created, keyId: keyId(created.publicKey), activeFrom, activeTo: undefined }
}

/**
 * Activates a new key and ends the old one. The caller has locked the receipt log, the chain and the server. The
 * instant is at or after the last receipt of the old key. Throws `KeyChangesExhausted`, or `WrongMasterSecret` when the
 * keyring does not open the old key: the server could not open the new one either.
 */
export async function rotateIn(tx: WriteTx, ports: KeyChangePorts): Promise<Rotation> {
  const serverId = await recordedNameIn(tx)
  if (serverId === undefined) return replaceUnused(tx, ports)
  await requireRoomForRotation(tx)
  return changeKey(tx, ports, ({ at, ...ends }) => ({
    kind: 'rotation',
    server_id: serverId,
    ...ends,
    rotated_at: at,
  }))
}

/**
 * The same with another name of the server, which the new key signs for. Writes the fact `server_id` too; what else
 * ends with a name is the caller's. Throws also if the server has another name than `from`.
 */
export async function moveIn(
  tx: WriteTx,
  { from, to, ...ports }: KeyChangePorts & { readonly from: string; readonly to: string },
): Promise<Rotation & { readonly number: number }> {
  const name = await recordedNameIn(tx)
  if (name !== from) throw new Error(`the server is ${name ?? 'without a name'}, and not ${from}`)
  await requireRoomForMove(tx)
  const { moves } = await signedChanges(tx)
  const number = moves.length + 1
  const before = moves.at(-1)?.hash
  const rotation = await changeKey(tx, ports, ({ at, ...ends }) => ({
    kind: 'move',
    number,
    ...(before !== undefined && { prior_move_hash: before }),
    from,
    to,
    ...ends,
    moved_at: at,
  }))
  await tx.server.setFact('server_id', utf8(to))
  return { ...rotation, number }
}

/** Throws `KeyChangesExhausted`. */
export async function requireRoomForMove(tx: Pick<ReadTx, 'keys'>): Promise<void> {
  if ((await signedChanges(tx)).moves.length >= MAX_MOVES)
    throw new KeyChangesExhausted(`the server has moved ${MAX_MOVES} times, and cannot move again`)
}

/** Throws `KeyChangesExhausted`. `max`: how many there may be. */
export async function requireRoomForRotation(tx: Pick<ReadTx, 'keys'>, max: number = MAX_ROTATIONS): Promise<void> {
  if ((await countRotations(tx)) >= max)
    throw new KeyChangesExhausted(
      `the key of receipts was rotated ${max} times, and cannot be rotated again${max < MAX_ROTATIONS ? ': the list of statements holds a few more, for restores' : ''}`,
    )
}

type Ends = Omit<RotationPayload, 'server_id' | 'rotated_at'> & { readonly at: string }

async function changeKey(
  tx: WriteTx,
  { keyring, clock, created }: KeyChangePorts,
  changeOf: (ends: Ends) => KeyChange,
): Promise<Rotation> {
  const old = await activeKey(tx)
  const oldSigner = keyring.openAttestationKey(old)
  const head = await tx.receipts.head()
  const at = instantOf(Math.max(clock.now(), head?.receivedAt ?? 0, old.activeFrom))
  const key = keyFrom(created, at)
  const toBeSigned = keyChangeToBeSigned(
    changeOf({
      old_key: old.keyId,
      new_key: key.keyId,
      ...(head && { last_receipt_seq: head.receiptSeq, last_receipt_hash: head.receiptHash }),
      at: formatInstant(at),
    }),
  )
  const leave = oldSigner.sign(toBeSigned.leave)
  const arrive = keyring.openAttestationKey(created).sign(toBeSigned.arrive)
  await tx.keys.retireAttestationKey(old.keyId, at)
  await tx.keys.insertAttestationKey(key)
  await tx.keys.insertKeyChange({ keyId: key.keyId, leave, arrive })
  return { retired: old.keyId, active: key.keyId, at }
}

/** Without a name there are neither receipts nor accounts: no statement could name it, and no client has its key. */
async function replaceUnused(tx: WriteTx, { keyring, clock, created }: KeyChangePorts): Promise<Rotation> {
  const old = await activeKey(tx)
  keyring.openAttestationKey(old)
  const key = keyFrom(created, clock.now())
  await tx.keys.removeUnusedKey(old.keyId)
  await tx.keys.insertAttestationKey(key)
  return { retired: old.keyId, active: key.keyId, at: key.activeFrom }
}

async function activeKey(tx: ReadTx): Promise<AttestationKey> {
  const key = await tx.keys.activeAttestationKey()
  if (key === undefined) throw new Error('there is no attestation key yet: start the server once to create it')
  return key
}
