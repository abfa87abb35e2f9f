/** `blindkeep inbox adopt` and `discard` as processes, also killed in the middle. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Exchanged } from '../../../../testing/tamperingProxy.ts'
import { holding, openOffice } from '../testing/office.ts'
import { openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
const { root, run, start, facts } = world
const here = await openOffice(world, 'office')
const { albumId } = await here.owner.createAlbum({ name: 'Contracts' })

const adopting = (...ids: readonly string[]) => [
  ...['inbox', 'adopt', ...ids, '--album', 'Contracts', '--profile', here.profile],
]
async function contentOf(assetId: string): Promise<Buffer> {
  return Buffer.from(await new Response((await here.owner.openAsset(assetId)).content).arrayBuffer())
}

describe('blindkeep inbox adopt', () => {
  it('turns the chosen drops into signed files of the album, and says which id means none', async () => {
    const content = randomBytes(1000)
    const [one, other] = [await here.drop(content, { name: 'a.txt' }), await here.drop(randomBytes(9), { name: 'b' })]
    const [adopted] = await facts(adopting(one.slice(0, 8)))
    assert.deepEqual([adopted.event, adopted.drop_id, adopted.album_id], ['adopted', one, albumId])
    // No earlier call has begun it, so there is nothing to ask for.
    const askedFor = ({ method, path }: Exchanged) => method === 'GET' && path.endsWith(adopted.asset_id)
    assert.deepEqual(world.proxy.seen.filter(askedFor), [])
    assert.deepEqual(await contentOf(adopted.asset_id), content)
    assert.deepEqual(await here.pending(), [other])
    const unknown = await run(adopting(one))
    assert.equal(unknown.status, 1)
    assert.match(unknown.stderr, /There is no drop .*blindkeep inbox list/)
    await here.owner.discardDrop(other)
  })

  it('names the file as its album does, so that the next command finds it', async () => {
    const dropId = await here.drop(randomBytes(5), { name: 'scans/one.pdf' })
    const listed = await run(['inbox', 'list', '--profile', here.profile])
    assert.match(listed.stdout, / {2}scans\/one\.pdf/)
    const adopted = await run(adopting(dropId))
    assert.match(adopted.stdout, /^scans\/one\.pdf is adopted into Contracts/)
    const renamed = await run(['rename', 'scans/one.pdf', 'Invoice.pdf', '--profile', here.profile])
    assert.equal(renamed.status, 0, renamed.stderr)
  })

  it('and its discarding do the rest when the same line is called again', async () => {
    const discarding = (...ids: readonly string[]) => [
      ...['inbox', 'discard', ...ids, '--yes', '--profile', here.profile],
    ]
    for (const lineOf of [adopting, discarding]) {
      const ids = [await here.drop(randomBytes(5), { name: '1' }), await here.drop(randomBytes(5), { name: '2' })]
      await run(['inbox', 'list', '--profile', here.profile])
      await here.owner.discardDrop(ids[0] ?? '')
      const again = await run(lineOf(...ids))
      assert.equal(again.status, 0, again.stderr)
      assert.match(again.stderr, /1 of these drops had left the inbox before/)
      assert.deepEqual(await here.pending(), [])
    }
  })

  it('is finished by the same call after a kill, as the same asset, although the drop has left the inbox', async () => {
    const content = randomBytes(1000)
    const dropId = await here.drop(content, { name: 'killed.txt' })
    // The drop is an asset already; what the device signs is on its way.
    const hold = holding(({ method, path }) => method === 'POST' && path === '/v1/upload', 0)
    world.proxy.tamper(hold)
    const child = start(adopting(dropId))
    await hold.held
    child.kill('SIGKILL')
    await once(child, 'close')
    world.proxy.tamper()
    assert.deepEqual(await here.pending(), [])
    const [adopted] = await facts(adopting(dropId))
    assert.deepEqual([adopted.event, adopted.drop_id, adopted.album_id], ['adopted', dropId, albumId])
    assert.deepEqual(await contentOf(adopted.asset_id), content)
    assert.equal((await here.owner.describeAsset(await here.owner.asset(adopted.asset_id))).name, 'killed.txt')
    assert.deepEqual(await readdir(join(root, 'home', 'profiles', here.profile, 'adopting')), [])
  })

  it('is said in the list after a kill, and finished by the next adoption of any drop', async () => {
    const dropId = await here.drop(randomBytes(10), { name: 'left.txt' })
    const hold = holding(({ method, path }) => method === 'POST' && path === '/v1/upload', 0)
    world.proxy.tamper(hold)
    const child = start(adopting(dropId))
    await hold.held
    child.kill('SIGKILL')
    await once(child, 'close')
    world.proxy.tamper()
    const list = await run(['inbox', 'list', '--profile', here.profile])
    assert.match(
      list.stderr,
      new RegExp(`1 file left the inbox before .* blindkeep inbox adopt ${dropId.slice(0, 8)} `),
    )
    const next = await here.drop(randomBytes(10), { name: 'next.txt' })
    const adopted = await facts(adopting(next))
    assert.deepEqual(adopted.map(({ drop_id }) => drop_id).toSorted(), [dropId, next].toSorted())
    for (const { asset_id } of adopted) assert.ok((await here.owner.asset(asset_id)).complete)
  })

  it('of others goes on when the record of a begun one is damaged, which is said and stays', async () => {
    const [left, next] = [
      await here.drop(randomBytes(10), { name: 'l.txt' }),
      await here.drop(randomBytes(10), { name: 'n.txt' }),
    ]
    const record = join(root, 'home', 'profiles', here.profile, 'adopting', `${left}.json`)
    await writeFile(record, '{"accountId":"')
    const adopted = await run(adopting(next))
    assert.equal(adopted.status, 0, adopted.stderr)
    assert.match(
      adopted.stderr,
      new RegExp(`${left}\\.json is damaged: it says how far the adoption of a drop has come`),
    )
    const refused = await run(adopting(left))
    assert.equal(refused.status, 1)
    assert.match(refused.stderr, /is damaged.* or remove it to adopt the drop again/)
    await rm(record)
    await facts(adopting(left))
    assert.deepEqual(await here.pending(), [])
  })

  it('is finished by the same save --adopt after a kill, and the file is saved once', async () => {
    const content = randomBytes(1000)
    const dropId = await here.drop(content, { name: 'saved.txt' })
    const args = ['inbox', 'save', '--all', '--to', 'saved', '--adopt', 'Contracts', '--profile', here.profile]
    const hold = holding(({ method, path }) => method === 'POST' && path.endsWith('/adopt'), 0)
    world.proxy.tamper(hold)
    const child = start(args)
    await hold.held
    child.kill('SIGKILL')
    await once(child, 'close')
    world.proxy.tamper()
    const [adopted, done] = await facts(args)
    assert.deepEqual([adopted.event, adopted.drop_id, done.adopted, done.failed], ['adopted', dropId, 1, 0])
    assert.deepEqual(await contentOf(adopted.asset_id), content)
    assert.deepEqual(await readdir(join(root, 'saved')), ['saved.txt'])
    assert.deepEqual(await readFile(join(root, 'saved', 'saved.txt')), content)
  })
})

describe('blindkeep inbox adopt, save and discard of all', () => {
  const files = [
    ['a.pdf', 'Ada'],
    ['b.jpg', 'Ada'],
    ['c.jpg', 'Bob'],
    ['d.jpg', 'Ada'],
  ] as const

  async function filled(profile: string) {
    const office = await openOffice(world, profile)
    await office.owner.createAlbum({ name: 'Kept' })
    for (const [name, sender] of files) await office.drop(randomBytes(10), { name, sender })
    const call = (what: string, ...more: readonly string[]) => ['inbox', what, ...more, '--profile', profile]
    const left = async () => (await facts(call('list'))).map(({ name }) => name)
    return { office, call, left }
  }

  it('take those that fit, ask once, and do the rest when the same line is called again after a kill', async () => {
    const { call, left } = await filled('wholesale')
    const line = call('keep', '--all', '--from', 'ada', '--album', 'Kept')
    const asked = await run(line)
    assert.equal(asked.status, 2)
    assert.match(asked.stderr, /Adopt 3 files \(30 B\) into the album Kept, signed by this device\? Add --yes/)
    // One is an asset already; what the device signs of it is on its way.
    const hold = holding(({ method, path }) => method === 'POST' && path === '/v1/upload', 0)
    world.proxy.tamper(hold)
    const child = start([...line, '--yes'])
    await hold.held
    child.kill('SIGKILL')
    await once(child, 'close')
    world.proxy.tamper()
    const again = await run([...line, '--yes'])
    assert.equal(again.status, 0, again.stderr)
    assert.deepEqual(await left(), ['c.jpg'])
    const kept = await facts(['ls', 'Kept', '--profile', 'wholesale'])
    assert.deepEqual(
      kept.map(({ name, state }) => [name, state]),
      ['a.pdf', 'b.jpg', 'd.jpg'].map((name) => [name, 'complete']),
    )
    const none = await run([...line, '--yes'])
    assert.deepEqual([none.status, none.stdout], [0, 'There is nothing to adopt.\n'], none.stderr)
  })

  it('save and discard those that fit', async () => {
    const { call, left } = await filled('narrowed')
    await facts(call('save', '--all', '--kind', 'image', '--from', 'Bob', '--to', 'narrowed'))
    assert.deepEqual(await readdir(join(root, 'narrowed')), ['c.jpg'])
    const discarded = await run(call('discard', '--link', 'Front desk', '--kind', 'image', '--yes'))
    assert.equal(discarded.status, 0, discarded.stderr)
    assert.deepEqual(await left(), ['a.pdf'])
    assert.equal((await run(call('discard', '--all', '--yes'))).status, 0)
    assert.deepEqual(await left(), [])
    for (const wrong of [
      ['--from', 'Ada'],
      ['--all', '--link', 'Front desk'],
      ['--batch', 'abcd', '--kind', 'image'],
    ])
      for (const what of ['adopt', 'discard', 'save']) {
        const place = what === 'adopt' ? ['--album', 'Kept'] : what === 'save' ? ['--to', 'x'] : ['--yes']
        assert.equal((await run(call(what, ...wrong, ...place))).status, 2, what)
      }
  })
})

describe('blindkeep inbox discard', () => {
  for (const discarding of [
    ['discard', '--yes'],
    ['save', '--to', 'discarded', '--discard'],
  ] as const)
    it(`forgets an adoption that was begun: inbox ${discarding.join(' ')}`, async () => {
      const dropId = await here.drop(randomBytes(10), { name: 'taken-back.txt' })
      world.proxy.tamper({ matches: ({ path }) => path.endsWith('/adopt'), instead: 422 })
      assert.equal((await run(adopting(dropId))).status, 1)
      world.proxy.tamper()
      assert.equal((await readdir(join(root, 'home', 'profiles', here.profile, 'adopting'))).length, 1)
      const [what, ...flags] = discarding
      const discarded = await run(['inbox', what, dropId, ...flags, '--profile', here.profile])
      assert.equal(discarded.status, 0, discarded.stderr)
      const list = await run(['inbox', 'list', '--profile', here.profile])
      assert.doesNotMatch(list.stderr, /left the inbox/)
      const next = await here.drop(randomBytes(10), { name: 'next.txt' })
      assert.deepEqual(
        (await facts(adopting(next))).map(({ drop_id }) => drop_id),
        [next],
      )
    })

  it('needs consent, and discards what was chosen and nothing else', async () => {
    const link = await here.owner.createLink({ label: 'Old' })
    const [stays] = [await here.drop(randomBytes(1), { name: 'stays' })]
    for (const name of ['a', 'b']) await here.drop(randomBytes(5), { name }, link.url)
    const args = ['inbox', 'discard', '--link', 'Old', '--profile', here.profile]
    const asked = await run(args)
    assert.equal(asked.status, 2)
    assert.match(
      asked.stderr,
      /Discard 2 drops, to be restored from the bin for a time: a, b\? Add --yes if that is meant\./,
    )
    assert.equal((await here.pending()).length, 3)
    const done = await run([...args, '--yes'])
    assert.equal(done.status, 0)
    assert.match(done.stderr, /It can be undone until 20\d\d-.*: blindkeep bin restore [0-9a-f]{8} [0-9a-f]{8}/)
    assert.deepEqual(await here.pending(), [stays])
    const none = await run(args)
    assert.deepEqual([none.status, none.stdout, none.stderr], [0, 'There is nothing to discard.\n', ''])
    assert.deepEqual(await facts([...args]), [])
    assert.equal((await run(['inbox', 'discard', '--yes', '--profile', here.profile])).status, 2)
  })

  it('is undone from the bin, by id or name, until the bin is emptied', async () => {
    const bin = (...args: readonly string[]) => ['bin', ...args, '--profile', here.profile]
    for (const name of ['back', 'lost']) await here.drop(randomBytes(5), { name })
    const ids = (await here.owner.inbox())
      .filter(({ file }) => ['back', 'lost'].includes(file?.name ?? ''))
      .map(({ dropId }) => dropId)
    await here.owner.emptyBin()
    assert.equal((await run(['inbox', 'discard', ...ids, '--yes', '--profile', here.profile])).status, 0)
    assert.deepEqual((await facts(bin('list'))).map(({ name }) => name).toSorted(), ['back', 'lost'])
    assert.equal((await run(bin('restore', 'none'))).status, 1)
    const restored = await facts(bin('restore', 'back'))
    assert.deepEqual(
      restored.map(({ event, name }) => [event, name]),
      [['restored', 'back']],
    )
    assert.ok((await here.pending()).includes(String(restored[0]?.drop_id)))
    assert.equal((await run(bin('empty'))).status, 2)
    assert.equal((await run(bin('empty', '--yes'))).status, 0)
    assert.equal((await run(bin('list'))).stdout, 'The bin is empty.\n')
    assert.equal((await run(bin('restore', 'lost'))).status, 1)
  })
})
