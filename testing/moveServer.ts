/** A server that moves to another address, and clients that know it by a name that Node does not resolve. */
import assert from 'node:assert/strict'
import type { Environment } from '@blindkeep/client/environment'
import { quickEnvironment } from './people.ts'
import type { RunningServer } from './startServer.ts'

/** As an operator does: stopped, moved by the command, and started at the new address. */
export async function moveServer(server: RunningServer, publicUrl: string): Promise<void> {
  await server.terminate()
  const { status, stderr } = await server.command(['move', '--yes', '--unchecked'], { PUBLIC_URL: publicUrl })
  assert.equal(status, 0, stderr)
  await server.restart({ PUBLIC_URL: publicUrl })
}

/** A client with it asks the process, whatever the name before. */
export function reachedAt(publicUrl: string, { url }: Pick<RunningServer, 'url'>): Environment {
  const { fetch } = quickEnvironment
  return { ...quickEnvironment, fetch: (input, init) => fetch(String(input).replace(publicUrl, url), init) }
}
