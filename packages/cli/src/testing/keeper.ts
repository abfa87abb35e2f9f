/** An account in a profile, with an album, and the same account as the library sees it. */
import type { Album, Owner } from '@blindkeep/client/owner'
import type { World } from './world.ts'

export interface CliKeeper {
  readonly owner: Owner
  readonly album: Album
  /** For the end of a call. */
  readonly as: readonly string[]
}

/** `hasPassword`: it can sign in again, with `PASSWORD`. */
export async function newCliKeeper(world: World, profile: string, { hasPassword = false } = {}): Promise<CliKeeper> {
  const owner = await (hasPassword ? world.register(profile) : world.signUp(profile))
  return { owner, album: await owner.createAlbum({ name: 'Scans' }), as: ['--profile', profile] }
}

/** The ids of the assets of an account. */
export async function assetIdsOf(owner: Owner): Promise<readonly string[]> {
  const ids = new Set<string>()
  for await (const { changes } of owner.changes())
    for (const { assetId, asset } of changes) if (asset !== undefined) ids.add(assetId)
  return [...ids]
}
