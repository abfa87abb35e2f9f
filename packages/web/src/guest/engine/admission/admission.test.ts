/** What the engine does with a chosen file that it seems to know, on a real server. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, chosen, noMessage, openTab, useGuestWorld } from '../../../testing/guestTabs.ts'

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
    assert.deepEqual([tab.snapshot().counts.chosen, tab.snapshot().remarks], [2, []])
    await tab.add([second])
    assert.equal(tab.snapshot().remarks[0]?.about, 'already_there')
    tab.send(noMessage, undefined)
    assert.deepEqual(tab.snapshot().remarks, [])
    await tab.untilAll('landed')
    await tab.add([third])
    assert.equal(tab.snapshot().remarks[0]?.about, 'already_landed')
    await tab.addAnyway()
    tab.send(noMessage, undefined)
    await tab.untilAll('landed')
    const drops = (await world.owner.inbox()).filter((drop) => drop.opaqueId === opaqueId)
    const texts = drops.map(async (drop) => new Response((await world.owner.openDrop(drop)).content).text())
    assert.deepEqual((await Promise.all(texts)).toSorted(), ['one', 'six', 'two'])
  })
})

describe('what is not sent, or is sent as nothing', () => {
  it('is named before anything is sent: files that are empty for this browser, and empty folders', async () => {
    const tab = await openTab((await world.owner.createLink()).url)
    await tab.untilOpen()
    const files = [chosen('stated as empty.txt', new Uint8Array()), chosen('photo.jpg', bytes(10))]
    await tab.add(files, { emptyFolders: ['trip/day 3'] })
    const said = tab.snapshot().remarks.map(({ about, count, name }) => [about, count, name])
    assert.deepEqual(said, [
      ['empty', 1, 'stated as empty.txt'],
      ['empty_folders', 1, 'trip/day 3'],
    ])
    assert.equal(tab.snapshot().counts.chosen, 2)
    await tab.add([], { emptyFolders: ['trip'] })
    assert.deepEqual(
      tab.snapshot().remarks.map(({ about }) => about),
      ['empty_folders'],
    )
  })
})
