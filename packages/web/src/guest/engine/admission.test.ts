/** What the engine does with a chosen file that it seems to know, on a real server. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chosen, noMessage, openTab, useGuestWorld } from '../../testing/guestTabs.ts'

const world = useGuestWorld()

describe('a file that looks like one in the list', () => {
  it('is sent as another one when the guest says so, before and after the first has landed', async () => {
    const { url, opaqueId } = await world.owner.createLink()
    const tab = await openTab(url)
    await tab.untilOpen()
    const contents = ['one', 'two', 'six'].map((text) => new TextEncoder().encode(text))
    const [first, second, third] = contents.map((content) => chosen('answer.txt', content))
    assert.ok(first && second && third)
    await tab.add([first])
    await tab.add([second])
    await tab.addAnyway()
    await tab.addAnyway()
    assert.deepEqual([tab.snapshot().counts.chosen, tab.snapshot().remark], [2, undefined])
    await tab.add([second])
    assert.equal(tab.snapshot().remark?.about, 'already_there')
    tab.send(noMessage, undefined)
    assert.equal(tab.snapshot().remark, undefined)
    await tab.untilAll('landed')
    await tab.add([third])
    assert.equal(tab.snapshot().remark?.about, 'already_landed')
    await tab.addAnyway()
    tab.send(noMessage, undefined)
    await tab.untilAll('landed')
    const drops = (await world.owner.inbox()).filter((drop) => drop.opaqueId === opaqueId)
    const texts = drops.map(async (drop) => new Response((await world.owner.openDrop(drop)).content).text())
    assert.deepEqual((await Promise.all(texts)).toSorted(), ['one', 'six', 'two'])
  })
})
