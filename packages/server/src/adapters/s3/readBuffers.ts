import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const MOST_BYTES = 8 * 1024 ** 2

setFlagsFromString('--expose-gc')
const collect: (options: { readonly type: 'minor' }) => void = runInNewContext('gc')
let bytes = 0

/** Called for each piece that is done with. V8 sees only its small handle, and lets 64 MiB pile up. */
export function wasRead(piece: Uint8Array): void {
  bytes += piece.length
  if (bytes < MOST_BYTES) return
  bytes = 0
  collect({ type: 'minor' })
}
