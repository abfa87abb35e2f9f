/**
 * `npm run screenshots -- <directory> [part of a name …]`: pictures of every state of every page, phone and desktop, light and dark, for people to look at.
 * `index.html` in the directory shows them all. A state that is not reached is named, and ends it with 1 after all others.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchBrowser, type VisitOptions } from './browser.ts'
import { albumsShots, shareShots } from './shots/albums.ts'
import { guestShots } from './shots/guest.ts'
import { guestTroublesShots } from './shots/guestTroubles.ts'
import { inboxShots } from './shots/inbox.ts'
import { linksShots } from './shots/links.ts'
import { ownerShots } from './shots/owner.ts'
import { signInShots } from './shots/signIn.ts'
import { storageShots } from './shots/storage.ts'
import type { Shot } from './shots.ts'
import { startWorld, type World } from './world.ts'

const SHOTS: readonly Shot[] = [
  ...guestShots,
  ...guestTroublesShots,
  ...signInShots,
  ...inboxShots,
  ...linksShots,
  ...ownerShots,
  ...albumsShots,
  ...shareShots,
  ...storageShots,
]
const MAX_HEIGHT = 10_000
const LOOKS = (['phone', 'desktop'] as const).flatMap((device) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ device, colorScheme })),
)

const [directory, ...wanted] = process.argv.slice(2)
if (directory === undefined) {
  console.error('Say where the pictures go: npm run screenshots -- <directory> [part of a name …]')
  process.exitCode = 1
} else {
  const shots = SHOTS.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  process.exitCode = (await takeAll(directory, shots)) ? 0 : 1
}

async function takeAll(into: string, shots: readonly Shot[]): Promise<boolean> {
  const world = await startWorld({ withLine: true })
  const browser = await launchBrowser()
  const taken: string[] = []
  let isWhole = true
  try {
    for (const shot of shots)
      for (const look of LOOKS.filter(({ device }) => shot.devices?.includes(device) !== false)) {
        const name = `${shot.name}-${look.device}-${look.colorScheme}.png`
        const path = join(into, name)
        taken.push(name)
        await mkdir(dirname(path), { recursive: true })
        const fault = await take({ shot, world, path, look, visit: browser.visit })
        console.log(fault === undefined ? path : `NOT WHOLE ${path}: ${fault}`)
        isWhole &&= fault === undefined
        world.line.mend()
      }
  } finally {
    await browser.close()
    await world.stop()
  }
  await writeFile(join(into, 'index.html'), sheetOf(taken))
  return isWhole
}

/** As on a screen as long as the page, so that what sticks to an edge stands there and not in the midst of the picture. */
async function showWhole(page: Page): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  const needed = await settledHeight(page)
  await page.setViewportSize({ width, height: Math.max(height, Math.min(needed, MAX_HEIGHT)) })
}

/** Once the page has stopped growing, as lists come one after the other: the same for a while, or whatever it is after some seconds. */
async function settledHeight(page: Page): Promise<number> {
  let [height, same] = [0, 0]
  for (let look = 0; look < 50 && same < 5; look++) {
    const now = await page.evaluate(() => document.documentElement.scrollHeight)
    same = now === height ? same + 1 : 0
    height = now
    await page.waitForTimeout(100)
  }
  return height
}

/** All of them on one page, to be opened in a browser. */
function sheetOf(paths: readonly string[]): string {
  const figures = paths.map(
    (path) => `<figure><img src="${path}" loading="lazy"><figcaption>${path}</figcaption></figure>`,
  )
  const style =
    'body{background:gray;display:flex;flex-wrap:wrap;align-items:start}figure{margin:8px}img{max-height:80vh}'
  return `<!doctype html><meta charset="utf-8"><title>Blindkeep</title><style>${style}</style>${figures.join('\n')}`
}

interface Taking {
  readonly shot: Shot
  readonly world: World
  readonly path: string
  readonly look: (typeof LOOKS)[number]
  readonly visit: Awaited<ReturnType<typeof launchBrowser>>['visit']
}

/** Says what went wrong; the picture is taken all the same, of what there is then. */
async function take({ shot, world, path, look, visit }: Taking): Promise<string | undefined> {
  const { expected = [] } = shot
  // Still pictures: nothing is caught half faded in.
  const options: VisitOptions = { ...(await shot.begin(world)), ...look, expected, reducedMotion: 'reduce' }
  const opened = await visit(options)
  try {
    await shot.reach?.(opened.page, world)
    await showWhole(opened.page)
    await opened.page.screenshot({ path })
    await opened.close()
    return undefined
  } catch (error) {
    await opened.page.screenshot({ path }).catch(() => undefined)
    await opened.close().catch(() => undefined)
    return error instanceof Error ? error.message : String(error)
  }
}
