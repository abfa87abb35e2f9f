import './memory.ts'
import { existsSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { DATA_DIRECTORY } from './config/dataDirectory.ts'
import type { Given } from './config/given.ts'

/** Starts the server. Few modules are loaded before the compile cache is on. */
export async function serve(given: Given): Promise<void> {
  useCompileCache(given.environment.DATA_DIR || DATA_DIRECTORY)
  const { start } = await import('./start.ts')
  await start(given)
}

/**
 * Half of a start is compiling. From the second start on a data directory, Node takes what it compiled before. It is
 * kept where only the server may write, because it is code. `NODE_COMPILE_CACHE` names another place.
 */
function useCompileCache(dataDirectory: string): void {
  // Nothing is created in a directory that is not a server's: the setting may be wrong.
  if (!existsSync(join(dataDirectory, 'server.lock'))) return
  const directory = join(dataDirectory, 'compiled')
  try {
    mkdirSync(directory, { mode: 0o700, recursive: true })
    enableCompileCache(directory)
  } catch {
    // A start without it only takes longer.
  }
}
