/** The statements by which the attestation key has changed, as the rows have them (protocol, `keyChange.ts`). */
import { type DecodedKeyChange, decodeKeyChange, type MovePayload } from '@blindkeep/protocol/keyChange'
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

function isMove(signed: SignedChange): signed is SignedMove {
  return signed.change.kind === 'move'
}
