/**
 * Takes pictures of the pages, for people to look at: npm run screenshots -- <directory> [part of a name …] every
 * state, on phone and desktop, light and dark, with an `index.html` that shows them all npm run screenshots -- --docs
 * <directory> the few pictures of the documents A state that cannot be reached is named in the output, and the exit
 * status is then 1.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { argumentsOf } from '../../../tools/arguments.ts'
import { type Device, launchBrowser, type Visit, type VisitOptions } from './browser.ts'
import { accountShots } from './shots/account.ts'
import { albumsShots, shareShots } from './shots/albums.ts'
import { binShots } from './shots/bin.ts'
import { docsShots } from './shots/docs.ts'
import { guestShots } from './shots/guest.ts'
import { guestTroublesShots } from './shots/guestTroubles.ts'
import { inboxShots } from './shots/inbox.ts'
import { linksShots } from './shots/links.ts'
import { movingShots } from './shots/moving.ts'
import { ownerShots } from './shots/owner.ts'
import { signInShots } from './shots/signIn.ts'
import { storageShots } from './shots/storage.ts'
import { takenShots } from './shots/taken.ts'
import type { Shot } from './shots.ts'
import { startWorld, type World } from './world.ts'

type Look = Required<Pick<VisitOptions, 'device' | 'colorScheme'>>

/** What one run of this program takes pictures of, and how. */
interface Series {
  readonly shots: readonly Shot[]
  readonly looks: readonly Look[]
  /** Every picture has the size of its device. Without it a picture shows the whole page. */
  readonly viewports?: Readonly<Record<Device, { readonly width: number; readonly height: number }>>
}

const ALL: Series = {
  shots: [
    ...guestShots,
    ...guestTroublesShots,
    ...signInShots,
    ...inboxShots,
    ...linksShots,
    ...ownerShots,
    ...albumsShots,
    ...shareShots,
    ...storageShots,
    ...accountShots,
    ...binShots,
    ...takenShots,
    ...movingShots,
  ],
  looks: (['phone', 'desktop'] as const).flatMap((device) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ device, colorScheme })),
  ),
}
const DOCS: Series = {
  shots: docsShots,
  looks: (['phone', 'desktop'] as const).map((device) => ({ device, colorScheme: 'light' })),
  viewports: { desktop: { width: 1000, height: 760 }, phone: { width: 390, height: 760 } },
}
const MAX_HEIGHT = 10_000

const USAGE = 'npm run screenshots -- [--docs] <directory> [part of a name …]'
const { values, positionals } = argumentsOf(
  USAGE,
  { docs: { type: 'boolean' } },
  { maxPositionals: Number.POSITIVE_INFINITY },
)
const [directory, ...parts] = positionals
if (directory === undefined) {
  console.error(`Name a directory: ${USAGE}`)
  process.exitCode = 1
} else {
  const series = values.docs === true ? DOCS : ALL
  const shots = series.shots.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)))
  process.exitCode = (await takeAll(directory, { ...series, shots })) ? 0 : 1
}

/** Answers whether every state was reached. */
async function takeAll(into: string, { shots, looks, viewports }: Series): Promise<boolean> {
  const world = await startWorld({
    withLine: true,
    // Nothing takes mail there.
    env: { NOTIFY: 'email,ntfy,webhook,push', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'keep@example.org' },
  })
  const browser = await launchBrowser()
  const taken: string[] = []
  let isComplete = true
  try {
    for (const shot of shots) {
      const own = looks.filter(({ device }) => shot.devices?.includes(device) !== false)
      for (const look of own) {
        const name = own.length === 1 ? `${shot.name}.png` : `${shot.name}-${look.device}-${look.colorScheme}.png`
        const path = join(into, name)
        taken.push(name)
        await mkdir(dirname(path), { recursive: true })
        const fault = await take({ shot, world, path, look, viewport: viewports?.[look.device], visit: browser.visit })
        console.log(fault === undefined ? path : `NOT REACHED ${path}: ${fault}`)
        isComplete &&= fault === undefined
        world.line.mend()
      }
    }
  } finally {
    await browser.close()
    await world.stop()
  }
  if (viewports === undefined) await writeFile(join(into, 'index.html'), sheetOf(taken))
  return isComplete
}

interface Taking {
  readonly shot: Shot
  readonly world: World
  readonly path: string
  readonly look: Look
  readonly viewport: { readonly width: number; readonly height: number } | undefined
  readonly visit: Awaited<ReturnType<typeof launchBrowser>>['visit']
}

/** Answers what went wrong. It takes the picture even then, of what the page shows. */
async function take({ shot, world, path, look, viewport, visit }: Taking): Promise<string | undefined> {
  const { expected = [] } = shot
  let opened: Visit | undefined
  try {
    // Without animations, so that nothing is half faded in.
    const options: VisitOptions = { ...(await shot.begin(world)), ...look, expected, reducedMotion: 'reduce' }
    opened = await visit(options)
    if (viewport !== undefined) await opened.page.setViewportSize(viewport)
    await shot.reach?.(opened.page, world)
    if (viewport === undefined) await showWhole(opened.page)
    await opened.page.screenshot({ path })
    await opened.close()
    return undefined
  } catch (error) {
    await opened?.page.screenshot({ path }).catch(() => undefined)
    await opened?.close().catch(() => undefined)
    return error instanceof Error ? error.message : String(error)
  }
}

/** Makes the screen as high as the page, so that elements that stick to an edge are at the edge of the picture. */
async function showWhole(page: Page): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  const needed = await settledHeight(page)
  await page.setViewportSize({ width, height: Math.max(height, Math.min(needed, MAX_HEIGHT)) })
}

/** The height once the page has stopped growing for half a second, or after five seconds. */
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

/** All pictures on one page, for a browser. */
function sheetOf(paths: readonly string[]): string {
  const figures = paths.map(
    (path) => `<figure><img src="${path}" loading="lazy"><figcaption>${path}</figcaption></figure>`,
  )
  const style =
    'body{background:gray;display:flex;flex-wrap:wrap;align-items:start}figure{margin:8px}img{max-height:80vh}'
  return `<!doctype html><meta charset="utf-8"><title>Blindkeep</title><style>${style}</style>${figures.join('\n')}`
}
