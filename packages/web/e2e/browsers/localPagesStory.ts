/** Pages from this machine, in the browsers that keep names below `localhost` there. */
import { it } from 'node:test'
import { servePages } from '../../../cli/src/testing/servedPages.ts'
import { openWorld } from '../../../cli/src/testing/world.ts'
import { inbox } from '../../src/text/en/inbox.ts'
import { local } from '../../src/text/en/local.ts'
import type { StoryBrowser } from './port.ts'
import { openPage } from './storyPage.ts'

export function localPagesStory(browser: StoryBrowser): void {
  it('shows the owner’s pages of this machine after a code, and closes them with their program', async (t) => {
    const world = await openWorld()
    await world.signUp('ada')
    const served = await servePages(world, 'ada')
    t.after(() => served.end('SIGKILL'))
    const page = await openPage(browser, { url: `${served.origin}/` })
    const { code } = await served.fact()
    await page.fill({ css: 'input.code' }, code)
    await page.click({ role: 'button', name: local.pair })
    await page.see({ role: 'heading', name: inbox.emptyTitle })
    await page.see({ css: '.live-state.on' })
    await served.end('SIGTERM')
    await page.see({ text: local.closedExplain })
    // The browser reports the connections that the program has cut.
    await page.close().catch(() => undefined)
  })
}
