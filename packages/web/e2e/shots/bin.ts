import { randomBytes } from 'node:crypto'
import { openedDrops, sendFile } from '../../../../testing/people.ts'
import { bin as text } from '../../src/text/en/bin.ts'
import { inbox as inboxText } from '../../src/text/en/inbox.ts'
import type { Shot } from '../shots.ts'
import type { World } from '../world.ts'

async function used(world: World) {
  const { owner, album, device } = await world.keeper()
  const { url } = await owner.createLink()
  for (const name of [
    'Contract 2026.pdf',
    'A long name of a picture from the wedding in May.heic',
    'notes.txt',
    'left.txt',
  ])
    await sendFile(url, randomBytes(400_000), { name })
  const [first, second, third] = await openedDrops(owner)
  if (first === undefined || second === undefined || third === undefined) throw new Error('no drops')
  const { assetId } = await owner.adoptDrop(first, { album, device })
  await owner.deleteAsset(assetId)
  for (const { dropId } of [second, third]) await owner.discardDrop(dropId)
  return owner
}

/** What the owner can restore. */
export const binShots: readonly Shot[] = [
  {
    name: 'bin/none',
    begin: async (world) => ({ url: `${world.url}/#/bin`, signedInAs: await world.owner() }),
    reach: (page) => page.getByRole('heading', { name: text.none.title }).waitFor(),
  },
  {
    name: 'bin/list',
    begin: async (world) => ({ url: `${world.url}/#/bin`, signedInAs: await used(world) }),
    reach: (page) => page.getByRole('heading', { name: 'Contract 2026.pdf' }).waitFor(),
  },
  {
    name: 'bin/selected',
    begin: async (world) => ({ url: `${world.url}/#/bin`, signedInAs: await used(world) }),
    reach: async (page) => {
      await page.getByLabel(inboxText.choose('Contract 2026.pdf')).click()
      await page.getByRole('button', { name: text.end.button, exact: true }).waitFor()
    },
  },
  {
    name: 'bin/empty',
    begin: async (world) => ({ url: `${world.url}/#/bin`, signedInAs: await used(world) }),
    reach: async (page) => {
      await page.getByRole('button', { name: text.empty.button }).click()
      await page.getByRole('button', { name: text.empty.confirm(3) }).waitFor()
    },
  },
  {
    name: 'bin/undo',
    begin: async (world) => ({ url: `${world.url}/#/inbox`, signedInAs: await used(world) }),
    reach: async (page) => {
      await page.getByLabel(inboxText.choose('left.txt')).click()
      await page.getByRole('button', { name: inboxText.discard }).first().click()
      await page.getByRole('button', { name: inboxText.discarding.submit(1) }).click()
      await page.getByRole('button', { name: text.undo }).waitFor()
    },
  },
]
