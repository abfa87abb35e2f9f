/** What is discarded and deleted at a real server, and comes back. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { newKeeper, sendFile } from '../../../../testing/people.ts'
import { systemEnvironment } from '../ground/environment.ts'
import { ProblemError } from '../http/errors.ts'
import type { BinEntry, Owner } from '../owner.ts'
import { dropOf } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'

const { proxy } = await sharedServer()

async function binOf(owner: Owner): Promise<readonly BinEntry[]> {
  const entries: BinEntry[] = []
  for await (const page of owner.bin()) entries.push(...page)
  return entries
}

const namesIn = async (owner: Owner) => {
  const items = await Promise.all((await binOf(owner)).map((entry) => owner.describeBinEntry(entry)))
  return items.map(({ file, fault }) => file?.name ?? fault)
}

const isTooLate = (error: unknown) => error instanceof ProblemError && error.code === 'error.bin.not_found'

describe('the bin', () => {
  it('has the names of a discarded drop and of a deleted file, and restores both with their contents', async () => {
    const { owner, device, album } = await newKeeper(proxy.url, systemEnvironment)
    const { url } = await owner.createLink()
    await owner.nameAlbum(album, 'Letters')
    const [first, second] = [
      await sendFile(url, randomBytes(1000), { name: 'first.txt' }),
      await sendFile(url, randomBytes(2000), { name: 'second.txt' }),
    ]
    const drop = await dropOf(owner, first.landed)
    const adopted = await owner.adoptDrop(await dropOf(owner, second.landed), { album, device })
    await owner.discardDrop(drop.dropId)
    await owner.deleteAsset(adopted.assetId)
    await owner.deleteAlbum(album)
    assert.deepEqual(await namesIn(owner), ['first.txt', 'second.txt'])
    assert.deepEqual([await owner.inbox(), await owner.albums()], [[], []])
    const { used, bin } = await owner.quota()
    assert.equal(used, bin)
    await owner.restore(drop.dropId)
    await owner.restore(adopted.assetId)
    await owner.restore(adopted.assetId)
    assert.deepEqual(await binOf(owner), [])
    assert.deepEqual(
      (await owner.inbox()).map(({ file }) => file?.name),
      ['first.txt'],
    )
    assert.deepEqual(
      (await owner.albums()).map(({ name }) => name),
      ['Letters'],
    )
    const { name, content } = await owner.openAsset(adopted.assetId)
    assert.deepEqual([name, (await new Response(content).arrayBuffer()).byteLength], ['second.txt', 2000])
  })

  it('frees the space of what leaves it, and then it is too late', async () => {
    const { owner } = await newKeeper(proxy.url, systemEnvironment)
    const { url } = await owner.createLink()
    for (const name of ['a', 'b', 'c']) await sendFile(url, randomBytes(10), { name })
    const [one, ...others] = await owner.inbox()
    assert.ok(one)
    for (const { dropId } of [one, ...others]) await owner.discardDrop(dropId)
    await owner.endBinEntry(one.dropId)
    assert.deepEqual((await namesIn(owner)).toSorted(), ['b', 'c'])
    await assert.rejects(owner.restore(one.dropId), isTooLate)
    await owner.emptyBin()
    assert.deepEqual([await binOf(owner), (await owner.quota()).used], [[], 0])
  })
})
