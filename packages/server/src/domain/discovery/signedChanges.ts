/** The statements by which the attestation key has changed, as the rows have them (protocol, `keyChange.ts`). */
import { type DecodedKeyChange, decodeKeyChange, KeyChangeError, type MovePayload } from '@blindkeep/protocol/keyChange'
import type { KeyChangeRow, ReadTx } from '../../ports/store.ts'

export interface SignedChange extends DecodedKeyChange {
  readonly signed: KeyChangeRow
}

export interface SignedMove extends SignedChange {
  readonly change: { readonly kind: 'move' } & MovePayload
}

export interface SignedChanges {
  /** Oldest first. */
  readonly moves: readonly SignedMove[]
  readonly rotations: readonly SignedChange[]
}

/** Their signatures are not verified. Throws `KeyChangeError` if one cannot be read. */
export async function signedChanges(tx: Pick<ReadTx, 'keys'>): Promise<SignedChanges> {
  const changes = (await tx.keys.keyChanges()).map((signed) => ({ signed, ...decodeKeyChange(signed) }))
  return { moves: changes.filter(isMove), rotations: changes.filter((each) => !isMove(each)) }
}

/** A statement that cannot be read counts, too: a damaged row must not keep a server from rotating a stolen key. */
export async function countRotations(tx: Pick<ReadTx, 'keys'>): Promise<number> {
  return (await tx.keys.keyChanges()).filter((row) => !isReadableMove(row)).length
}

function isReadableMove(row: KeyChangeRow): boolean {
  try {
    return decodeKeyChange(row).change.kind === 'move'
  } catch (error) {
    if (error instanceof KeyChangeError) return false
    throw error
  }
}

function isMove(signed: SignedChange): signed is SignedMove {
  return signed.change.kind === 'move'
}
