import { randomBytes } from 'node:crypto'
import type { Owner } from '@blindkeep/client/owner'
import { openedDrops, sendFile } from '../../../../testing/people.ts'
import { PAGES } from '../../src/owner/ground/route.ts'
import { oncePerWorld, type Shot } from '../shots.ts'
import type { World } from '../world.ts'

function seenBy(name: string, whose: (world: World) => Promise<Owner>): Omit<Shot, 'name'> {
  return {
    begin: async (world) => ({ url: `${world.url}/#/${name}`, signedInAs: await whose(world) }),
    reach: async (page) => {
      await page.locator('h1').first().waitFor()
      // The page has loaded when no spinner is left. Network silence is no sign, because the stream of changes
      // never ends.
      await page.locator('[aria-busy=true], .spinner').first().waitFor({ state: 'detached' })
    },
  }
}

/** Two links, a revoked one, files in the inbox, an album with files and a share of them. */
const busyOwner = oncePerWorld(async (world): Promise<Owner> => {
  const { owner, album, device } = await world.keeper()
  const { url } = await owner.createLink({ label: 'Wedding guests', caps: { maxFileCount: 200 } })
  await owner.createLink({ label: 'Tax adviser', passphrase: 'an old word', expiresAt: '2031-01-01T00:00:00Z' })
  const { opaqueId } = await owner.createLink({ label: 'Last year’s' })
  await owner.revokeLink(opaqueId)
  for (const [index, name] of ['Speech.pdf', 'First dance.mp4', 'IMG_0001.jpg', 'IMG_0002.jpg', 'Notes.txt'].entries())
    await sendFile(url, randomBytes(2_000 * 5 ** index), {
      name,
      ...(index === 2 ? { note: 'The one with the cake!', sender: 'Gustav' } : {}),
    })
  const kept = (await openedDrops(owner)).slice(0, 2)
  const assetIds: string[] = []
  for (const drop of kept) assetIds.push((await owner.adoptDrop(drop, { album, device })).assetId)
  await owner.createShare(assetIds)
  return owner
})

/** Each of the owner's pages twice: for a new account, and for an account in use. */
export const ownerShots: readonly Shot[] = PAGES.flatMap((name) => [
  { name: `${name}/empty`, ...seenBy(name, (world) => world.owner()) },
  { name: `${name}/in-use`, ...seenBy(name, busyOwner) },
])
