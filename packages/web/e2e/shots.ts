/** What `npm run screenshots` takes pictures of. Each area of the pages has a file with its states below `shots/`. */
import type { Page } from 'playwright-core'
import type { Device, VisitOptions } from './browser.ts'
import type { World } from './world.ts'

export interface Shot {
  /** Names the picture: `guest/ready` is in the directory `guest`. */
  readonly name: string
  /** Prepares the state. All shots share one world, so this must not change what other shots show. */
  begin(world: World): Promise<Begin> | Begin
  /** Leads from the open page to the state to show. The world's line may stay slow or down. */
  reach?(page: Page, world: World): Promise<void>
  /** Problems that belong to the state (`VisitOptions`). */
  readonly expected?: readonly RegExp[]
  /** Both, when left out. */
  readonly devices?: readonly Device[]
}

/** Makes something once for each world, for all shots that do not change it. */
export function oncePerWorld<Made>(make: (world: World) => Promise<Made>): (world: World) => Promise<Made> {
  const made = new WeakMap<World, Promise<Made>>()
  return (world) => {
    const known = made.get(world) ?? make(world)
    made.set(world, known)
    return known
  }
}

export type Begin = Pick<VisitOptions, 'url' | 'storageState' | 'signedInAs' | 'locale'>

/** Shows the buttons that a phone shows on demand. `what` is the beginning of what they are about. */
export async function openMore(page: Page, what = ''): Promise<void> {
  const more = page.getByRole('button', { name: `More actions for ${what}` }).first()
  if (await more.isVisible()) await more.click()
}
