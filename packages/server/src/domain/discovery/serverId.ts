/**
 * The server's origin, `server_id`. Receipts name it, and clients and passkeys remember it. So the first receipt or
 * account writes it down, whichever comes first, and from then on the server keeps it.
 */
import { equalBytes, utf8 } from '@blindkeep/protocol/bytes'
import type { ReadTx, Store, WriteTx } from '../../ports/store.ts'

export class WrongServerId extends Error {
  override readonly name = 'WrongServerId'
}

/** In the transaction of a first receipt or account. Throws `WrongServerId` if another process wrote another origin. */
export async function recordServerId(tx: WriteTx, serverId: string): Promise<void> {
  if ((await writtenId(tx, serverId)) === undefined) await tx.server.setFact('server_id', utf8(serverId))
}

/** For the start. Throws `WrongServerId`. */
export async function checkServerId(store: Store, serverId: string): Promise<void> {
  await store.read((tx) => writtenId(tx, serverId))
}

/** Undefined before the first receipt or account. */
export async function recordedServerId(store: Store): Promise<string | undefined> {
  const written = await store.read((tx) => tx.server.fact('server_id'))
  return written && new TextDecoder().decode(written)
}

async function writtenId(tx: ReadTx | WriteTx, serverId: string): Promise<Uint8Array | undefined> {
  const written = await tx.server.fact('server_id')
  if (written === undefined || equalBytes(written, utf8(serverId))) return written
  const known = new TextDecoder().decode(written)
  throw new WrongServerId(
    `this data belongs to ${known}, but the server is now configured as ${serverId}. If this is a mistake, set PUBLIC_URL (or HOST and PORT) back to ${known}, or use another DATA_DIR. If the server is to move there with its accounts and files, run \`blindkeep-server move\`; docs/moving.md says how.`,
  )
}
