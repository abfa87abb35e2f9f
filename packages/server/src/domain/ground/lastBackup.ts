import { type Instant, instantOf } from '@blindkeep/protocol/ids'
import type { ReadTx } from '../../ports/store.ts'

/** When the last complete backup began: it lacks nothing but what was marked as damaged before. */
export async function lastBackupAt({ server }: Pick<ReadTx, 'server'>): Promise<Instant | undefined> {
  const written = await server.fact('backed_up_at')
  return written && instantOf(Number(new TextDecoder().decode(written)))
}
