import { openServerKeys } from '../domain/custody/keys.ts'
import { moveServer } from '../domain/moving/serverMove.ts'
import type { World } from './world.ts'

/** Moves the server, and returns it at its new name. The given world goes on as a process of the old one. */
export async function movedTo(world: World, to: string): Promise<World> {
  const { store } = world
  await moveServer(world, { from: world.settings.serverId, to, publicUrl: to })
  const settings = { ...world.settings, serverId: to, publicUrl: to }
  const keys = await openServerKeys(world)
  return { ...world, settings, keys, rules: world.rulesOver({ store, keys }, settings) }
}
