import { ReasonedError } from '@blindkeep/protocol/reasonedError'
import type { Doubt } from '../verify/doubt.ts'

/** Why a file stays in its album. */
export type AssetMoveFault = 'retained' | 'changed' | 'not_verified'

const TEXTS: Readonly<Record<AssetMoveFault, string>> = {
  retained: 'It must be kept for a time, so it cannot leave its album before.',
  changed: 'It was changed elsewhere while it was copied, so it stays in its album. Move it again.',
  not_verified: 'It stays in its album, beside its copy, because the server did not prove that it holds the copy.',
}

/** A file was not moved. Nothing of it is lost. */
export class AssetMoveError extends ReasonedError<AssetMoveFault> {
  override readonly name = 'AssetMoveError'
  /** What the check of the copy found; none with another reason. */
  readonly doubts: readonly Doubt[]

  constructor(reason: AssetMoveFault, doubts: readonly Doubt[] = []) {
    super(reason, [TEXTS[reason], ...doubts.map(({ message }) => message)].join(' '))
    this.doubts = doubts
  }
}
