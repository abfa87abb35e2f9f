import type { Page, Route } from 'playwright-core'
import { account as accountText } from '../../src/text/en/account.ts'
import { guest as guestText } from '../../src/text/en/guest.ts'
import { moving as text } from '../../src/text/en/moving.ts'
import { button, choose, sendChosen, someFile } from '../guestPage.ts'
import type { Shot } from '../shots.ts'

const announced = { moves_to: { server_id: 'https://drop.example.org', on: '2099-12-01T00:00:00.000Z' } }
const former = () => ({ moved_from: { server_id: 'https://keep.example', moved_at: new Date().toISOString() } })

/** A server that moves, before and after, and under an open page. */
export const movingShots: readonly Shot[] = [
  {
    name: 'moving/announced',
    begin: async (world) => ({ url: `${world.url}/#/links`, signedInAs: await world.owner() }),
    reach: (page) => said(page, announced, text.announced.what),
  },
  {
    name: 'moving/announced-password',
    begin: async (world) => ({ url: `${world.url}/#/links`, signedInAs: await world.owner() }),
    reach: async (page) => {
      await said(page, announced, text.announced.what)
      await button(page, text.announced.try).click()
      await page.getByLabel(accountText.page.presentPassword, { exact: true }).waitFor()
    },
  },
  {
    name: 'moving/announced-in-german',
    begin: async (world) => ({ url: `${world.url}/#/links`, signedInAs: await world.owner(), locale: 'de-DE' }),
    reach: (page) => said(page, announced, /drop\.example\.org/),
  },
  {
    name: 'moving/first-visit',
    begin: (world) => ({ url: `${world.url}/` }),
    reach: (page) => said(page, former(), text.former.passkeys),
  },
  {
    name: 'moving/look-through',
    begin: async (world) => ({ url: `${world.url}/#/links`, signedInAs: await world.owner() }),
    reach: (page) => said(page, former(), text.look.what),
  },
  {
    name: 'moving/under-an-open-page',
    begin: async (world) => ({ url: `${world.url}/#/links`, signedInAs: await world.owner() }),
    reach: async (page) => {
      await page.route('**/v1/**', gone)
      await page.reload()
      await page.getByText(text.moved.title, { exact: true }).waitFor()
    },
  },
  {
    name: 'moving/under-a-guest',
    begin: (world) => world.link(),
    reach: async (page) => {
      await choose(page, [someFile('letter.pdf', 70_000), someFile('photo.jpg', 300_000)])
      await page.context().route('**/d/**', gone)
      await sendChosen(page)
      await page.getByText(guestText.faults.server_moved.title, { exact: true }).waitFor()
    },
  },
]

async function said(page: Page, members: object, words: string | RegExp): Promise<void> {
  await page.route('**/server-info', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...members } })
  })
  await page.reload()
  await page.getByText(words).first().waitFor()
}

function gone(route: Route): Promise<void> {
  const problem = { type: '/problems/error.server.moved', title: 'Moved', status: 410, code: 'error.server.moved' }
  return route.fulfill({ status: 410, contentType: 'application/problem+json', json: problem })
}
