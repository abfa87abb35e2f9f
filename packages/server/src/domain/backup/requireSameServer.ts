import { BackupFailed } from '../../ports/backup.ts'
import type { Store } from '../../ports/store.ts'
import type { BackupManifest } from './backupManifest.ts'

/** Throws `BackupFailed` for a backup of another server. The first key of a server with accounts never changes. */
export async function requireSameServer(
  store: Pick<Store, 'read'>,
  { firstKeyId, serverId }: Pick<BackupManifest, 'firstKeyId' | 'serverId'>,
): Promise<void> {
  const [firstKey] = await store.read((tx) => tx.keys.attestationKeys())
  if (firstKey?.keyId !== firstKeyId)
    throw new BackupFailed(
      `the directory holds a backup of another server, ${serverId ?? 'without receipts'}. Name another one.`,
    )
}
