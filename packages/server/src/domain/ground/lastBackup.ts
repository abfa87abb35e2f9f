import { type Instant, instantOf } from '@blindkeep/protocol/ids'
import type { ReadTx } from '../../ports/store.ts'

/** When the last backup that was completed began. */
export async function lastBackupAt({ server }: Pick<ReadTx, 'server'>): Promise<Instant | undefined> {
  const written = await server.fact('backed_up_at')
  return written && instantOf(Number(new TextDecoder().decode(written)))
}
