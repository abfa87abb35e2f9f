/** An account in a profile, with an album, and the same account as the library sees it. */
import assert from 'node:assert/strict'
import { logIn } from '@blindkeep/client/account'
import { nodeEnvironment as environment } from '@blindkeep/client/node'
import type { Album, Owner } from '@blindkeep/client/owner'
import { PASSWORD, type World } from './world.ts'

export interface CliKeeper {
  readonly owner: Owner
  readonly album: Album
  /** For the end of a call. */
  readonly as: readonly string[]
}

export async function newCliKeeper(world: World, profile: string): Promise<CliKeeper> {
  await world.signUp(profile)
  const { url: baseUrl } = world.proxy
  const { owner } = await logIn({ baseUrl, email: `${profile}@example.org`, password: PASSWORD, environment })
  assert.ok(owner)
  return { owner, album: await owner.createAlbum({ name: 'Scans' }), as: ['--profile', profile] }
}

/** The ids of the assets of an account. */
export async function assetIdsOf(owner: Owner): Promise<readonly string[]> {
  const ids = new Set<string>()
  for await (const { changes } of owner.changes())
    for (const { assetId, asset } of changes) if (asset !== undefined) ids.add(assetId)
  return [...ids]
}
