import { randomBytes } from 'node:crypto'
import { logIn } from '@blindkeep/client/account'
import { nodeEnvironment } from '@blindkeep/client/node'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { account as text } from '../../src/text/en/account.ts'
import { type Begin, oncePerWorld, type Shot } from '../shots.ts'
import type { World } from '../world.ts'

const LOST = 'The laptop that was lost on the train'

/** An owner who has lost a device that signed some files, and who is also signed in without a key. */
async function begin(world: World): Promise<Begin> {
  const { owner, email, password } = await world.person()
  const { albumId: album } = await owner.createAlbum({ name: 'Family' })
  const device = await owner.addDevice(undefined, { tie: false })
  for (const name of ['Contract with the landlord, signed.pdf', 'IMG_0001.jpg'])
    await owner.upload({ source: sourceOfBytes(randomBytes(2_000)), album, device, name })
  await owner.nameDevice(device.deviceId, LOST)
  const { owner: other } = await logIn({ baseUrl: world.url, email, password, environment: nodeEnvironment })
  await other?.nameThisClient('blindkeep on desk.example.org')
  return { url: `${world.url}/#/account`, signedInAs: owner }
}

async function ask(page: Page): Promise<void> {
  const rows = page.getByRole('region', { name: text.devices.title, exact: true }).getByRole('listitem')
  await rows.filter({ hasText: LOST }).getByRole('button', { name: text.devices.revoke }).click()
  await page.getByRole('dialog').waitFor()
}

/**
 * An owner with a topic at a name that has no address, and a mail address that waits for its code. One for all
 * pictures: a server sends few tests and codes in a time.
 */
const told = oncePerWorld(async (world) => {
  const { owner } = await world.person()
  const { channel } = await owner.addChannel({ kind: 'ntfy', address: 'https://ntfy.invalid/files-for-olga' })
  await owner.testChannel(channel.channelId)
  await owner.addChannel({ kind: 'email', address: 'olga.with.a.rather.long.name@mail.example.org' })
  return owner
})

async function beginMessages(world: World): Promise<Begin> {
  const owner = await told(world)
  // The picture before has added one.
  const { channels } = await owner.channels()
  for (const { kind, channelId } of channels) if (kind === 'webhook') await owner.removeChannel(channelId)
  return { url: `${world.url}/#/account`, signedInAs: owner }
}

const messages = (page: Page) => page.getByRole('region', { name: text.notify.title, exact: true })

/** An owner with passkeys. Browsers have them for names only, so the page is at localhost. */
async function beginPasskeys(world: World): Promise<Begin> {
  const { owner, password } = await world.person()
  for (const name of ['Chrome on Android', 'The blue security key on the ring with the house keys']) {
    const { add } = await owner.preparePasskey({ password })
    await add({ credentialId: randomBytes(16), output: randomBytes(32), name })
  }
  return { url: `${world.url.replace('127.0.0.1', 'localhost')}/#/account`, signedInAs: owner }
}

const passkeys = (page: Page) => page.getByRole('region', { name: text.passkeys.title, exact: true })

export const accountShots: readonly Shot[] = [
  {
    name: 'account/passkeys',
    begin: beginPasskeys,
    reach: async (page) => {
      await passkeys(page).getByRole('button', { name: text.passkeys.open }).click()
    },
  },
  {
    name: 'account/remove-passkey',
    begin: beginPasskeys,
    reach: async (page) => {
      await passkeys(page).getByRole('button', { name: text.passkeys.remove }).first().click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'account/messages',
    begin: beginMessages,
    reach: async (page) => {
      await messages(page).getByRole('button', { name: text.notify.open }).click()
      await messages(page).getByLabel(text.notify.kind, { exact: true }).selectOption('webhook')
      await messages(page)
        .getByLabel(text.notify.kinds.webhook.address, { exact: true })
        .fill('https://hooks.example.org/files')
      await messages(page).getByRole('button', { name: text.notify.submit, exact: true }).click()
      await messages(page)
        .getByText(/^whsec_/)
        .waitFor()
    },
  },
  {
    name: 'account/add-message',
    begin: beginMessages,
    reach: async (page) => {
      await messages(page).getByRole('button', { name: text.notify.open }).click()
      await messages(page).getByLabel(text.notify.kind, { exact: true }).selectOption('ntfy')
    },
  },
  {
    name: 'account/rename',
    begin,
    reach: async (page) => {
      await page
        .getByRole('listitem')
        .filter({ hasText: LOST })
        .getByRole('button', { name: text.rename.button })
        .click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'account/revoke-key', begin, reach: ask },
  {
    name: 'account/revoked-key',
    begin,
    reach: async (page) => {
      await ask(page)
      await page.getByRole('dialog').getByRole('button', { name: text.devices.revoke }).click()
      await page.getByText(text.devices.lately.found(2)).waitFor()
      await page.getByText('IMG_0001.jpg').waitFor()
    },
  },
]
