import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { pictureOf } from '../../../../testing/maliciousAssets.ts'
import { adoptInPart, type Keeper, openedDrops, sendFile } from '../../../../testing/people.ts'
import { pngOf } from '../pictures.ts'
import { oncePerWorld, openMore, type Shot } from '../shots.ts'
import type { World } from '../world.ts'

const COLOURS = [
  [
    [11, 110, 105],
    [240, 198, 116],
  ],
  [
    [70, 30, 90],
    [250, 150, 120],
  ],
  [
    [20, 60, 120],
    [200, 230, 250],
  ],
  [
    [30, 80, 40],
    [220, 240, 170],
  ],
] as const
const FILES = [
  { name: 'Contract with the printer, signed by both.pdf', type: 'application/pdf', size: 812_345 },
  { name: 'letters.txt', type: 'text/plain', size: 2_400 },
  { name: 'concert.mp3', type: 'audio/mpeg', size: 154_321 },
]

async function addPictures({ owner, album, device }: Keeper): Promise<void> {
  for (const [index, [from, to]] of COLOURS.entries()) {
    const source = sourceOfBytes(pngOf({ width: 600, height: 400, from, to }))
    const facts = { name: `Summer ${index + 1}.png`, type: 'image/png', modifiedAt: '2026-07-01T10:00:00Z' }
    const { assetId } = await owner.upload({ source, album, device, ...facts })
    await owner.addThumbnail(pictureOf(await owner.asset(assetId)), pngOf({ width: 256, height: 171, from, to }), {
      device,
    })
  }
}

async function addFiles({ owner, album, device }: Keeper): Promise<void> {
  for (const { size, ...facts } of FILES)
    await owner.upload({ source: sourceOfBytes(new Uint8Array(size).fill(65)), album, device, ...facts })
}

async function addDrop({ owner, album, device }: Keeper): Promise<void> {
  const { url } = await owner.createLink()
  const content = new TextEncoder().encode('Dear all,\n\nhere is what we talked about.\n')
  await sendFile(url, content, {
    name: 'From Ada.txt',
    type: 'text/plain',
    sender: 'Ada',
    note: 'As promised.\nSee you!',
  })
  const [drop] = await openedDrops(owner)
  if (drop !== undefined) await owner.adoptDrop(drop, { album, device })
}

/** An upload that stops before the file is signed. */
async function addHalf({ owner, album, device }: Keeper): Promise<void> {
  const source = sourceOfBytes(new Uint8Array(40_000))
  const state = await owner.prepareUpload({ source, album, device, name: 'half.zip' })
  const cut = new AbortController()
  const onState = ({ metadata }: typeof state) => {
    if (metadata.uploadId !== undefined) cut.abort()
  }
  await owner.finishUpload({ state, source, onState, signal: cut.signal }).catch(() => undefined)
}

const fullKeeper = oncePerWorld(async (world): Promise<Keeper> => {
  const keeper = await world.keeper()
  await keeper.owner.createAlbum({ name: 'Letters' })
  await addHalf(keeper)
  await addFiles(keeper)
  await addDrop(keeper)
  await addPictures(keeper)
  return keeper
})

const albums = async (world: World) => {
  const { owner } = await fullKeeper(world)
  return { url: `${world.url}/#/albums`, signedInAs: owner }
}
const album = async (world: World) => {
  const keeper = await fullKeeper(world)
  return { url: `${world.url}/#/albums/${keeper.album}`, signedInAs: keeper.owner }
}
const emptyAlbum = async (world: World) => {
  const { owner, album: albumId } = await world.keeper()
  return { url: `${world.url}/#/albums/${albumId}`, signedInAs: owner }
}
/** An own upload and a guest's file, both stopped before they were signed. */
const halfAlbum = async (world: World) => {
  const keeper = await world.keeper()
  await addHalf(keeper)
  const { url } = await keeper.owner.createLink()
  const facts = { name: 'Summer at the lake.png', type: 'image/png', sender: 'Ada', note: 'As promised.\nSee you!' }
  const [from, to] = COLOURS[0]
  await sendFile(url, pngOf({ width: 600, height: 400, from, to }), facts)
  const [drop] = await openedDrops(keeper.owner)
  if (drop !== undefined) await adoptInPart(keeper, drop)
  return { url: `${world.url}/#/albums/${keeper.album}`, signedInAs: keeper.owner }
}
/** From the choice of an end to the server's look at it, a busy machine takes a while. */
const ENDS_SECONDS = 5

/** Files of a device that was revoked since, beside one that stopped before it was signed. */
const doubtfulAlbum = async (world: World) => {
  const keeper = await world.keeper()
  const { owner } = keeper
  const lost = await owner.addDevice(undefined, { tie: false })
  await addHalf(keeper)
  await addFiles({ ...keeper, device: lost })
  await owner.revokeDevice(lost.deviceId)
  await addPictures(keeper)
  return { url: `${world.url}/#/albums/${keeper.album}`, signedInAs: owner }
}
const protectedFile = async (world: World) => {
  const keeper = await world.keeper()
  const { owner, album: albumId, device } = keeper
  const source = sourceOfBytes(new Uint8Array(2_400).fill(65))
  const retainUntil = await owner.endIn(20 * 86_400)
  const { assetId } = await owner.upload({ source, album: albumId, device, name: 'Deed of the house.txt', retainUntil })
  return { url: `${world.url}/#/albums/${albumId}/${assetId}`, signedInAs: owner }
}
const isDoubted = async (page: Page) => {
  await pictures(page)
  // What a tile says is read once it is in view.
  await page.locator('.tile').last().scrollIntoViewIfNeeded()
  for (const reason of ['No device of yours has signed this file.', 'Signed by a device that you revoked'])
    await page.locator('.tile').getByText(reason).first().waitFor()
}
const pictures = (page: Page) => page.locator('.tile img').nth(3).waitFor()
const names = (page: Page) => page.getByText('From Ada.txt').waitFor()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function selectTwo(page: Page): Promise<void> {
  await pictures(page)
  await names(page)
  await page.getByLabel('Select Summer 1.png').check()
  await page.getByLabel('Select Summer 3.png').check()
}

async function openAsset(page: Page, name: string): Promise<void> {
  await page.locator('.tile').filter({ hasText: name }).getByRole('link').click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  await page.getByText('all are valid').waitFor()
}

export const albumsShots: readonly Shot[] = [
  {
    name: 'albums/none',
    begin: async (world) => ({ url: `${world.url}/#/albums`, signedInAs: await world.owner() }),
    reach: (page) => page.getByText('No albums yet').waitFor(),
  },
  {
    name: 'albums/list',
    begin: albums,
    reach: (page) => page.locator('.album-card img').waitFor(),
  },
  {
    name: 'albums/new',
    begin: albums,
    reach: async (page) => {
      await button(page, 'New album').click()
      await button(page, 'Create album').click()
      await page.getByText('Enter a name for the album.').waitFor()
    },
  },
  {
    name: 'albums/empty',
    begin: emptyAlbum,
    reach: (page) => page.getByText('This album is empty').waitFor(),
  },
  {
    name: 'albums/album',
    begin: album,
    reach: async (page) => {
      await pictures(page)
      await names(page)
    },
  },
  { name: 'albums/selected', begin: album, reach: selectTwo },
  {
    name: 'albums/finish',
    begin: halfAlbum,
    reach: async (page) => {
      await button(page, 'Look at the files').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Show preview' }).first().click()
      await page.frameLocator('iframe.preview').locator('img').waitFor()
    },
  },
  { name: 'albums/doubted', begin: doubtfulAlbum, reach: isDoubted },
  {
    name: 'albums/asset-unsigned',
    begin: doubtfulAlbum,
    reach: async (page) => {
      await isDoubted(page)
      await page.locator('.tile').filter({ hasText: 'No device of yours' }).getByRole('link').click()
      await page.getByRole('heading', { name: 'Unsigned file', level: 1 }).waitFor()
    },
  },
  {
    name: 'albums/consent-unsigned',
    begin: doubtfulAlbum,
    reach: async (page) => {
      await isDoubted(page)
      await page.locator('.tile').filter({ hasText: 'No device of yours' }).getByRole('link').click()
      await button(page, 'Show preview').click()
      await button(page, 'Show it anyway').waitFor()
    },
  },
  {
    name: 'albums/consent-several',
    begin: doubtfulAlbum,
    reach: async (page) => {
      await isDoubted(page)
      await page.getByLabel('Select letters.txt').check()
      await button(page, 'Select all').click()
      await button(page, 'Download').click()
      await button(page, 'Download anyway').waitFor()
    },
  },
  {
    name: 'albums/protect',
    begin: protectedFile,
    reach: async (page) => {
      await page.getByText('all are valid').waitFor()
      await openMore(page)
      await button(page, 'Protect').click()
      await page.getByLabel('Protected until').waitFor()
    },
  },
  {
    name: 'albums/protected',
    begin: protectedFile,
    reach: async (page) => {
      await page.getByText('all are valid').waitFor()
      await openMore(page)
      await button(page, 'Delete').click()
      await page.getByText('1 file is protected').waitFor()
    },
  },
  {
    name: 'albums/uploading',
    begin: emptyAlbum,
    reach: async (page) => {
      await page.route('**/v1/upload/*', async (route) => {
        // Chunks are never answered, so that the upload stays in progress.
        if (route.request().method() !== 'PATCH') await route.continue()
      })
      const buffer = Buffer.alloc(3_000_000)
      const mimeType = 'video/mp4'
      await page
        .locator('.add-files')
        .setInputFiles(
          ['A day at the lake.mp4', 'The way home.mp4', 'Later.mp4'].map((name) => ({ name, mimeType, buffer })),
        )
      await page.getByText('Uploading').nth(1).waitFor()
      await button(page, 'Pause The way home.mp4').click()
    },
  },
  {
    name: 'albums/uploads-stopped',
    begin: emptyAlbum,
    reach: async (page) => {
      const buffer = Buffer.from(pngOf({ width: 300, height: 300 }))
      const file = { name: 'meadow.png', mimeType: 'image/png', buffer }
      await page.locator('.add-files').setInputFiles([file])
      await page.getByText('The file is encrypted and uploaded.').waitFor()
      await page.route('**/v1/upload', (route) =>
        route.fulfill({
          status: 403,
          contentType: 'application/problem+json',
          body: JSON.stringify({ type: '/problems/error.quota.exceeded', status: 403, code: 'error.quota.exceeded' }),
        }),
      )
      await page.locator('.add-files').setInputFiles([{ ...file, name: 'too much.png' }])
      await page.getByText('Your storage is full').waitFor()
    },
  },
  {
    name: 'albums/asset',
    begin: album,
    reach: (page) => openAsset(page, 'Summer 2.png'),
  },
  {
    name: 'albums/more',
    begin: album,
    reach: async (page) => {
      await pictures(page)
      await openMore(page)
    },
    devices: ['phone'],
  },
  {
    name: 'albums/rename',
    begin: album,
    reach: async (page) => {
      await openAsset(page, 'Summer 2.png')
      await button(page, 'Rename').click()
      await page.getByLabel('Name', { exact: true }).fill('')
      await button(page, 'Save').click()
      await page.getByText('Enter a name.').waitFor()
    },
  },
  {
    name: 'albums/move',
    begin: album,
    reach: async (page) => {
      await selectTwo(page)
      await button(page, 'Move').click()
      await page.getByRole('dialog').getByLabel('Album').waitFor()
    },
  },
  {
    name: 'albums/asset-shown',
    begin: album,
    reach: async (page) => {
      await openAsset(page, 'Summer 2.png')
      await button(page, 'Show preview').click()
      await page.frameLocator('iframe.preview').locator('img').waitFor()
    },
  },
  {
    name: 'albums/asset-of-guest',
    begin: album,
    reach: (page) => openAsset(page, 'From Ada.txt'),
  },
  {
    name: 'albums/remove',
    begin: album,
    reach: async (page) => {
      await selectTwo(page)
      await button(page, 'Delete').click()
    },
  },
  {
    name: 'shares/create',
    begin: album,
    reach: async (page) => {
      await selectTwo(page)
      await button(page, 'Share').click()
      await button(page, 'Create share link').waitFor()
    },
  },
  {
    name: 'shares/made',
    begin: album,
    reach: async (page) => {
      await selectTwo(page)
      await button(page, 'Share').click()
      await page.getByLabel('Passphrase (optional)').fill('hjk4-mnp7-wxy2-3bcd')
      await button(page, 'Create share link').click()
      await page.getByLabel('Share link', { exact: true }).waitFor()
    },
  },
  {
    name: 'shares/none',
    begin: async (world) => ({ url: `${world.url}/#/shares`, signedInAs: await world.owner() }),
    reach: (page) => page.getByText('No shares yet').waitFor(),
  },
  {
    name: 'shares/list',
    begin: async (world) => {
      const { owner, ...keeper } = await world.keeper()
      const upload = (name: string) => owner.upload({ ...keeper, source: sourceOfBytes(new Uint8Array(10)), name })
      const { assetId } = await upload('Contract with the landlord, signed.pdf')
      const others: string[] = []
      for (let page = 1; page <= 6; page++) others.push((await upload(`Page ${page}.png`)).assetId)
      await owner.createShare([assetId, ...others], { name: 'For the notary', passphrase: 'hjk4' })
      for (const expiresAt of [await owner.endIn(ENDS_SECONDS), '2099-01-01T00:00:00Z'])
        await owner.createShare([assetId], { expiresAt })
      return { url: `${world.url}/#/shares`, signedInAs: owner }
    },
    reach: async (page) => {
      // The server accepts no end that is over, so one of them ends now.
      await page.waitForTimeout(ENDS_SECONDS * 1000)
      await page.reload()
      await page.getByText('Ended', { exact: true }).waitFor()
    },
  },
]

const shared = (count: number, passphrase?: string) => async (world: World) => {
  const { owner, album: albumId } = await fullKeeper(world)
  const assetIds: string[] = []
  for await (const { changes } of owner.changes())
    for (const { asset } of changes) if (asset?.albumId === albumId && asset.complete) assetIds.push(asset.assetId)
  const { url } = await owner.createShare(assetIds.slice(-count), { passphrase })
  return { url }
}

export const shareShots: readonly Shot[] = [
  { name: 'share/one', begin: shared(1), reach: (page) => button(page, 'Download Summer 4.png').waitFor() },
  { name: 'share/several', begin: shared(8), reach: (page) => button(page, 'Download all').waitFor() },
  {
    name: 'share/exposed',
    begin: async (world) => {
      const share = await shared(1)(world)
      return { ...share, url: share.url.replace('#', '%23') }
    },
    reach: (page) => button(page, 'Download Summer 4.png').waitFor(),
  },
  {
    name: 'share/opening',
    begin: shared(1),
    reach: async (page) => {
      // The script is never answered.
      await page.route('**/receiver-*.js', () => undefined)
      await page.reload()
      await page.getByText('Opening the shared files').waitFor()
    },
  },
  {
    name: 'share/preview',
    begin: shared(8),
    reach: async (page) => {
      await button(page, 'Show preview of Summer 3.png').click()
      await page.frameLocator('iframe.preview').locator('img').waitFor()
    },
  },
  {
    name: 'share/downloaded',
    begin: shared(3),
    reach: async (page) => {
      await button(page, 'Download all').click()
      await page.getByText('Downloaded').nth(2).waitFor()
    },
  },
  {
    name: 'share/passphrase',
    begin: shared(2, 'hjk4-mnp7-wxy2-3bcd'),
    reach: (page) => button(page, 'Open the files').waitFor(),
  },
  {
    name: 'share/passphrase-wrong',
    begin: shared(2, 'hjk4-mnp7-wxy2-3bcd'),
    reach: async (page) => {
      await page.getByLabel('Passphrase', { exact: true }).fill('hjk4')
      await button(page, 'Open the files').click()
      await page.getByText('This passphrase is wrong').waitFor()
    },
  },
  {
    name: 'share/dead',
    begin: async (world) => {
      const { url } = await shared(1)(world)
      return { url: url.replace(/\/v\/[^#]*/, `/v/${'0'.repeat(32)}`) }
    },
    reach: (page) => page.getByRole('heading', { name: 'Nothing is shared here any more' }).waitFor(),
  },
  {
    name: 'share/without-key',
    begin: (world) => ({ url: `${world.url}/v/${'0'.repeat(32)}` }),
    reach: (page) => page.getByRole('heading', { name: 'The key is missing from the link' }).waitFor(),
  },
]
