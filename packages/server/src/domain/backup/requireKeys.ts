import { BackupFailed } from '../../ports/backup.ts'
import { type Keyring, WrongMasterSecret } from '../../ports/keyring.ts'
import type { Store } from '../../ports/store.ts'

/**
 * Throws `BackupFailed` unless `keyring` opens the keys of the server. For a backup, whose MAC would be of another
 * secret; for a restore before any object is copied, because without its keys a server can neither start nor
 * continue the log.
 */
export async function requireKeys(store: Store, keyring: Keyring): Promise<void> {
  const { key, secret } = await store.read(async (tx) => ({
    key: await tx.keys.activeAttestationKey(),
    secret: await tx.server.fact('server_secret'),
  }))
  try {
    if (key !== undefined) keyring.openAttestationKey(key)
    if (secret !== undefined) keyring.open('server-secret', secret)
  } catch (error) {
    if (!(error instanceof WrongMasterSecret)) throw error
    throw new BackupFailed(
      `the master secret in ${error.file} is not the one of the server of this database, so its keys cannot be opened. Put the right one there, or set MASTER_SECRET_FILE to its path, and call it again.`,
    )
  }
}
