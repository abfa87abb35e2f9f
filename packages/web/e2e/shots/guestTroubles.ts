import type { Page } from 'playwright-core'
import { allArrived, button, choose, MIB, sendChosen, someFile } from '../guestPage.ts'
import type { Shot } from '../shots.ts'

const limited = { caps: { maxFileSize: 5_000_000, maxFileCount: 9 } }

/** Interrupted and refused uploads, and a receipt. */
export const guestTroublesShots: readonly Shot[] = [
  {
    name: 'guest/without-its-end',
    begin: async (world) => ({ url: (await world.link()).url.split('#')[0] ?? '' }),
    reach: (page) => page.getByText('The end of the link is missing').waitFor(),
  },
  {
    name: 'guest/passphrase-refused',
    begin: (world) => world.link({ passphrase: 'a word for guests' }),
    reach: async (page) => {
      await choose(page, [someFile('letter.pdf', 70_000), someFile('photo.jpg', 300_000)])
      await page.getByRole('textbox', { name: 'Passphrase', exact: true }).fill('another word')
      await sendChosen(page)
      await page.getByText('The server rejected this passphrase.').waitFor()
    },
  },
  {
    name: 'guest/no-connection',
    begin: (world) => world.link(),
    reach: async (page) => {
      await page.context().route('**/d/*/*', (route) => (isLater(route.request()) ? route.abort() : route.continue()))
      await choose(page, [someFile('film.mp4', 3 * MIB), someFile('letter.pdf', 70_000)])
      await sendChosen(page)
      await page.getByText('No connection. Sending resumes by itself.', { exact: true }).first().waitFor()
    },
  },
  {
    name: 'guest/paused',
    begin: (world) => world.link(limited),
    reach: async (page) => {
      await sendSome(page)
      await button(page, 'Pause').click()
      await page.getByText('Paused', { exact: true }).first().waitFor()
    },
  },
  {
    name: 'guest/asked-before-cancelling',
    begin: (world) => world.link(limited),
    reach: async (page) => {
      await sendSome(page)
      await button(page, 'Cancel holiday.jpg').click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'guest/unfinished',
    begin: (world) => world.link(limited),
    reach: async (page) => {
      await sendSome(page)
      page.once('dialog', (dialog) => dialog.accept())
      await page.reload()
      await page.getByText('1 file was not finished').waitFor()
    },
  },
  {
    name: 'guest/receipt',
    begin: (world) => world.link(limited),
    reach: async (page) => {
      await chooseSome(page)
      await sendChosen(page)
      await button(page, 'Remove video.mp4').click()
      await allArrived(page)
      await page.getByText('This browser checked the signatures.').waitFor()
      await page.locator('summary').first().click()
    },
  },
  {
    name: 'guest/asked-before-forgetting',
    begin: (world) => world.link(),
    reach: async (page) => {
      await choose(page, [someFile('letter.pdf', 70_000), someFile('photo.jpg', 300_000)])
      await sendChosen(page)
      await allArrived(page)
      await button(page, 'Forget on this device').click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'guest/more-arrived-before',
    begin: (world) => world.link(),
    reach: async (page) => {
      await choose(page, [someFile('letter.pdf', 70_000), someFile('photo.jpg', 300_000)])
      await sendChosen(page)
      await allArrived(page)
      await page.reload()
      await choose(page, someFile('late.txt', 700))
      await sendChosen(page)
      await page.getByText('2 more arrived before this visit.').waitFor()
      await page.getByText('This browser checked the signatures.').waitFor()
    },
  },
  {
    name: 'guest/expired',
    begin: (world) => world.link(),
    reach: async (page) => {
      const closed = { status: 404, code: 'error.drop.link_not_found' }
      let asked = 0
      await page.context().route(/\/d\/[0-9a-f]{32}$/, async (route) => {
        if (asked++ > 0)
          return route.fulfill({ ...closed, contentType: 'application/problem+json', body: JSON.stringify(closed) })
        const response = await route.fetch()
        const json = { ...(await response.json()), expires_at: new Date(Date.now() + 1_000).toISOString() }
        await route.fulfill({ response, json })
      })
      await page.reload()
      await choose(page, someFile('letter.pdf', 70_000))
      await page.getByText(/It was open until/).waitFor()
    },
  },
  {
    name: 'guest/too-many',
    begin: (world) => world.link({ caps: { maxFileCount: 3 } }),
    reach: async (page) => {
      await page.getByText('3 files left').waitFor()
      await choose(
        page,
        Array.from({ length: 12 }, (_, index) => someFile(`IMG_${12 - index}.jpg`, 30_000)),
      )
      await page.getByText('9 files do not fit this link.').waitFor()
    },
  },
  {
    name: 'guest/not-all-arrived',
    begin: (world) => world.link(limited),
    reach: async (page) => {
      await chooseSome(page)
      await sendChosen(page)
      await page.getByRole('heading', { name: '3 files arrived, 1 was not sent' }).waitFor()
      await page.getByText('This browser checked the signatures.').waitFor()
    },
  },
  ...(
    [
      ['full-disk', 500, 'error.storage.full', /the server has had no space/],
      ['server-error', 500, 'error.request.failed', /the server has answered with errors/],
      ['server-busy', 429, 'error.drop.rate_limited', /The server has been busy since/],
    ] as const
  ).map(
    ([name, status, code, says]): Shot => ({
      name: `guest/${name}`,
      begin: (world) => world.link(),
      reach: async (page) => {
        const problem = { status, contentType: 'application/problem+json', body: JSON.stringify({ status, code }) }
        await page
          .context()
          .route('**/d/*/*', (route) => (isLater(route.request()) ? route.fulfill(problem) : route.continue()))
        await choose(page, [someFile('film.mp4', 3 * MIB), someFile('letter.pdf', 70_000)])
        await sendChosen(page)
        await page.getByText(says).waitFor()
      },
    }),
  ),
  {
    name: 'guest/server-busy-until',
    begin: (world) => world.link(),
    reach: async (page) => {
      const busy = { status: 429, code: 'error.drop.rate_limited' }
      await page.context().route('**/d/*', (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        const headers = { 'retry-after': '7200', 'content-type': 'application/problem+json' }
        return route.fulfill({ status: busy.status, headers, body: JSON.stringify(busy) })
      })
      await choose(page, [someFile('film.mp4', 3 * MIB), someFile('letter.pdf', 70_000)])
      await sendChosen(page)
      await page.getByText(/Next try: /).waitFor()
    },
  },
  ...[false, true].map(
    (hasSent): Shot => ({
      name: hasSent ? 'guest/inbox-full-came-back' : 'guest/inbox-full',
      begin: (world) => world.link(),
      reach: async (page) => {
        if (hasSent) {
          await choose(page, someFile('letter.pdf', 70_000))
          await sendChosen(page)
          await allArrived(page)
        }
        await page.context().route(/\/d\/[0-9a-f]{32}$/, async (route) => {
          const response = await route.fetch()
          await route.fulfill({ response, json: { ...(await response.json()), inbox_full: true } })
        })
        await page.reload()
        await page.getByText(/^This inbox (is full|has no place)/).waitFor()
      },
    }),
  ),
  {
    name: 'guest/recipient-full',
    begin: (world) => world.link(),
    reach: async (page) => {
      const problem = { status: 403, code: 'error.quota.exceeded' }
      await page.context().route('**/d/*', (route) => {
        const isCreation = route.request().method() === 'POST'
        if (!isCreation) return route.continue()
        return route.fulfill({ ...problem, contentType: 'application/problem+json', body: JSON.stringify(problem) })
      })
      await choose(page, [someFile('film.mp4', 3 * MIB), someFile('letter.pdf', 70_000)])
      await sendChosen(page)
      await page
        .getByText(/The storage of the person who gets the files is full/)
        .first()
        .waitFor()
    },
  },
]

async function chooseSome(page: Page): Promise<void> {
  await choose(page, [
    someFile('holiday.jpg', 3 * MIB),
    someFile('contract with the city of Wanne-Eickel, signed and scanned, second version.pdf', 700_000),
    someFile('video.mp4', 6 * MIB),
    someFile('empty.txt', 0),
  ])
  await page.getByText('1 file does not fit this link.').waitFor()
}

/** The upload stops after the first mebibyte. */
async function sendSome(page: Page): Promise<void> {
  await page.context().route('**/d/*/*', (route) => (isLater(route.request()) ? undefined : route.continue()))
  await chooseSome(page)
  await sendChosen(page)
  await page.getByText('2 of 3 files arrived', { exact: true }).waitFor()
  await page.getByText(/^Sending, (1\.0[5-9]|[23])/).waitFor()
}

function isLater(request: { method(): string; headers(): Record<string, string> }): boolean {
  return request.method() === 'PATCH' && Number(request.headers()['x-service-offset']) > 0
}
