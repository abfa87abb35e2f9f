/**
 * The server's origin, `server_id`. Receipts name it, and clients and passkeys remember it. So the first receipt or
 * account writes it down, whichever comes first, and from then on the server keeps it.
 */
import { equalBytes, utf8 } from '@blindkeep/protocol/bytes'
import { type ReadTx, type Store, StoreBroken, type WriteTx } from '../../ports/store.ts'

export class WrongServerId extends Error {
  override readonly name = 'WrongServerId'
}

/** The server has another name than the one under which this process serves it. The process has to end. */
export class ServerMoved extends StoreBroken {
  override readonly name = 'ServerMoved'

  constructor(serverId: string, known: string) {
    super(
      `the server has moved to ${known}, and this process still serves it as ${serverId}. Start it again with the new PUBLIC_URL`,
    )
  }
}

/** In the transaction of a first receipt or account. Throws `ServerMoved` if the server has another name. */
export async function recordServerId(tx: WriteTx, serverId: string): Promise<void> {
  const written = await tx.server.fact('server_id')
  requireOwnName(written, serverId)
  if (written === undefined) await tx.server.setFact('server_id', utf8(serverId))
}

/** In every transaction after which a client may take the server for `serverId`. Throws `ServerMoved`. */
export async function requireUnmoved(tx: ReadTx | WriteTx, serverId: string): Promise<void> {
  requireOwnName(await tx.server.fact('server_id'), serverId)
}

/** The same for the fact that was read. Undefined before the first receipt or account. */
export function requireOwnName(written: Uint8Array | undefined, serverId: string): void {
  if (written !== undefined && !equalBytes(written, utf8(serverId))) throw new ServerMoved(serverId, textOf(written))
}

/** For the start. Throws `WrongServerId`. */
export async function checkServerId(store: Store, serverId: string): Promise<void> {
  await store.read((tx) => writtenId(tx, serverId))
}

/** Undefined before the first receipt or account. */
export async function recordedServerId(store: Store): Promise<string | undefined> {
  return store.read(recordedNameIn)
}

export async function recordedNameIn(tx: Pick<ReadTx, 'server'>): Promise<string | undefined> {
  const written = await tx.server.fact('server_id')
  return written && textOf(written)
}

const textOf = (written: Uint8Array) => new TextDecoder().decode(written)

async function writtenId(tx: ReadTx | WriteTx, serverId: string): Promise<Uint8Array | undefined> {
  const written = await tx.server.fact('server_id')
  if (written === undefined || equalBytes(written, utf8(serverId))) return written
  const known = textOf(written)
  throw new WrongServerId(
    `this data belongs to ${known}, but the server is now configured as ${serverId}. If this is a mistake, set PUBLIC_URL (or HOST and PORT) back to ${known}, or use another DATA_DIR. If the server is to move there with its accounts and files, run \`blindkeep-server move\`; docs/moving.md says how.`,
  )
}
