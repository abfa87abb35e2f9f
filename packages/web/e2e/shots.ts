/** What `npm run screenshots` takes pictures of: each area of the pages adds its states in a file of its own below `shots/`. */
import type { Page } from 'playwright-core'
import type { Device, VisitOptions } from './browser.ts'
import type { World } from './world.ts'

export interface Shot {
  /** Names the picture: `guest/ready`. Pictures of one area lie together. */
  readonly name: string
  /** Where it begins, in a world that all shots share: what is made there must not change what others show. */
  begin(world: World): Promise<Begin> | Begin
  /** From the open page to the state that is to be seen; resolves when it is there. The world's line may be left bad. */
  reach?(page: Page, world: World): Promise<void>
  /** Problems that belong to the state. */
  readonly expected?: readonly RegExp[]
  /** Both, when left out. */
  readonly devices?: readonly Device[]
}

export type Begin = Pick<VisitOptions, 'url' | 'storageState' | 'signedInAs'>
