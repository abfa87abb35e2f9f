/** `blindkeep ls`, `get` and `rm` as processes, against a real server behind a proxy that cuts and lies. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import { blobAnswer, hashOf } from '../../../../testing/maliciousAssets.ts'
import { changeBody, flipAt, isRequest } from '../../../../testing/maliciousServer.ts'
import { adoptInPart, openedDrops, sendFile } from '../../../../testing/people.ts'
import { assetIdsOf, newCliKeeper } from '../testing/keeper.ts'
import { openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
const { run, facts, root } = world
const { owner, album, as } = await newCliKeeper(world, 'ada')
const device = await owner.addDevice(undefined, { tie: false })

async function keep(name: string, bytes: Uint8Array) {
  const { assetId } = await owner.upload({ source: sourceOfBytes(bytes), name, album: album.albumId, device })
  return await owner.asset(assetId)
}

/** Of no file. */
const anotherId = (id: string) => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`

const content = randomBytes(2_500_000)
const big = await keep('folder/big.bin', content)
const twin = await keep('twin.txt', Buffer.from('one'))
await keep('twin.txt', Buffer.from('two'))
const isDownload = blobAnswer(hashOf(big, 'original'))

describe('blindkeep ls', () => {
  it('lists names, sizes, times and ids, and says which files are not complete or withheld', async () => {
    const link = await owner.createLink()
    const { landed } = await sendFile(link.url, randomBytes(10), { name: 'half.txt' })
    const drop = (await openedDrops(owner)).find(({ ciphertextHash }) => ciphertextHash === landed.ciphertextHash)
    assert.ok(drop)
    const half = await adoptInPart({ owner, album: album.albumId, device }, drop)
    world.proxy.tamper({
      matches: blobAnswer(hashOf(twin, 'metadata')),
      answer: ({ headers }) => ({
        headers: { ...headers, 'content-type': 'application/problem+json' },
        body: Buffer.from(JSON.stringify({ code: 'error.blob.withheld', status: 403, title: 'x' })),
        status: 403,
      }),
    })
    const listed = await facts(['ls', 'Scans', ...as])
    world.proxy.tamper()
    const stateOf = (id: string) => listed.find(({ asset_id }) => asset_id === id)
    assert.equal(listed.length, 4)
    assert.deepEqual([stateOf(half).state, stateOf(half).name], ['incomplete', undefined])
    assert.deepEqual([stateOf(twin.assetId).state, stateOf(twin.assetId).name], ['withheld', undefined])
    const { name, size, created_at, album: albumName } = stateOf(big.assetId)
    assert.deepEqual([name, size, created_at, albumName], ['folder/big.bin', 2_500_000, big.createdAt, 'Scans'])

    // What was verified is not asked for again, and what was withheld is.
    const before = world.proxy.seen.length
    const { stdout } = await run(['ls', ...as])
    const asked = world.proxy.seen.slice(before).filter(({ path }) => path.startsWith('/v1/blob/')).length
    assert.equal(asked, 2)
    assert.match(stdout, new RegExp(`folder/big\\.bin +2\\.5 MB +\\d{4}-.* ${big.assetId.slice(0, 8)}`))
    assert.match(stdout, /\(not complete/)
    await owner.deleteAsset(half)
  })

  it('refuses a list that ends before what was seen, and exits with 3', async () => {
    world.proxy.tamper({
      matches: isRequest('GET', /^\/v1\/sync/),
      answer: changeBody((body) => {
        body.entries = (Array.isArray(body.entries) ? body.entries : []).slice(0, 1)
        body.has_more = false
      }),
    })
    const { status, stderr } = await run(['ls', ...as])
    world.proxy.tamper()
    assert.deepEqual([status, /this client has seen change.*restored it from a backup/.test(stderr)], [3, true], stderr)
  })
})

describe('blindkeep rename and mv', () => {
  it('give a file another name and another album, and go on after a kill with nothing twice', async () => {
    const there = await owner.createAlbum({ name: 'There' })
    const { assetId } = await keep('before.txt', content)
    const [named] = await facts(['rename', 'before.txt', 'after.txt', ...as])
    assert.deepEqual([named.event, named.asset_id, named.name], ['named', assetId, 'after.txt'])
    const all = await assetIdsOf(owner)
    // The last request of a move deletes the file: both are there.
    world.proxy.tamper({ matches: isRequest('DELETE', /^\/v1\/assets\//), instead: 403 })
    const stopped = await run(['mv', 'after.txt', '--album', 'There', ...as])
    world.proxy.tamper()
    assert.equal(stopped.status, 1, stopped.stderr)
    assert.equal((await assetIdsOf(owner)).length, all.length + 1)
    const [moved] = await facts(['mv', 'after.txt', '--album', 'There', ...as])
    assert.deepEqual([moved.event, moved.from_asset_id, moved.album_id], ['moved', assetId, there.albumId])
    const left = (await assetIdsOf(owner)).filter((id) => !all.includes(id))
    assert.deepEqual([left, (await assetIdsOf(owner)).length], [[moved.asset_id], all.length])
    await run(['get', 'after.txt', '--to', 'moved', ...as])
    assert.deepEqual(await readFile(join(root, 'moved/after.txt')), content)
    const again = await run(['mv', 'after.txt', '--album', 'There', ...as])
    assert.equal(again.status, 0, again.stderr)
    await owner.deleteAsset(moved.asset_id)
  })

  it('end a move whose file an earlier call has deleted, by name and by id, and free its space', async () => {
    await owner.createAlbum({ name: 'Elsewhere' })
    for (const isById of [false, true]) {
      const { assetId } = await keep(`moved ${isById}`, content)
      world.proxy.tamper({ matches: isRequest('DELETE', /^\/v1\/bin\//), instead: 403 })
      const line = ['mv', isById ? assetId : `moved ${isById}`, '--album', 'Elsewhere', ...as]
      const stopped = await run(line)
      world.proxy.tamper()
      assert.equal(stopped.status, 1, stopped.stderr)
      const [moved] = await facts(line)
      assert.equal(moved.from_asset_id, assetId)
      for await (const page of owner.bin()) assert.ok(page.every(({ id }) => id !== assetId))
      await owner.deleteAsset(moved.asset_id)
    }
  })

  it('go on with the ids of the same line when some of its files are moved and one is not', async () => {
    await owner.createAlbum({ name: 'Both' })
    const [first, second] = [await keep('first', Buffer.from('1')), await keep('second', Buffer.from('2'))]
    world.proxy.tamper({ matches: isRequest('DELETE', new RegExp(`^/v1/assets/${second.assetId}`)), instead: 403 })
    const line = ['mv', first.assetId, second.assetId, '--album', 'Both', ...as]
    const stopped = await run(line)
    world.proxy.tamper()
    assert.equal(stopped.status, 1, stopped.stderr)
    const before = (await assetIdsOf(owner)).length
    const notes = async () =>
      (await readdir(root, { recursive: true })).filter((path) => /\/moves\/.+json$/.test(path)).length
    assert.equal(await notes(), 2)
    const moved = await facts(line)
    assert.deepEqual(
      moved.map(({ from_asset_id }) => from_asset_id),
      [first.assetId, second.assetId],
    )
    assert.equal((await assetIdsOf(owner)).length, before - 1)
    assert.equal(await notes(), 0)
    for (const { asset_id } of moved) await owner.deleteAsset(asset_id)
  })
})

describe('blindkeep get', () => {
  it('saves files by id, beginning or name, replaces none unasked, and refuses a name that several have', async () => {
    const taken = join(await world.folder('there', { 'twin.txt': Buffer.from('mine') }), 'twin.txt')
    const saved = await facts(['get', twin.assetId.slice(0, 12), 'folder/big.bin', '--to', 'there', ...as])
    assert.deepEqual(saved.map(({ path }) => path.slice(path.indexOf('there'))).sort(), [
      'there/folder/big.bin',
      'there/twin (2).txt',
    ])
    assert.deepEqual(await readFile(join(root, 'there/folder/big.bin')), content)
    const [made] = await facts(['get', twin.assetId, '--to', 'not/yet/there', ...as])
    assert.equal(await readFile(join(root, 'not/yet/there/twin.txt'), 'utf8'), 'one', made.path)
    const ambiguous = await run(['get', 'twin.txt', '--to', 'there', ...as])
    assert.deepEqual([ambiguous.status, ambiguous.stderr.includes(twin.assetId)], [1, true])
    const unasked = await run(['get', twin.assetId, '-o', taken, ...as])
    assert.deepEqual([unasked.status, await readFile(taken, 'utf8')], [2, 'mine'])
    await facts(['get', twin.assetId, '-o', taken, '--yes', ...as])
    assert.equal(await readFile(taken, 'utf8'), 'one')
    for (const wrong of [
      ['a', 'b', '-o', 'x'],
      ['a', '-o', 'x', '--to', 'y'],
      ['a', '-o', '-', '--json'],
    ])
      assert.equal((await run(['get', ...wrong, ...as])).status, 2)
  })

  it('goes on when the line breaks, to a file and to standard output', async () => {
    world.proxy.tamper({ matches: isDownload, cut: { afterBytes: 700_000 } })
    const { status, stderr } = await run(['get', big.assetId, '-o', 'again.bin', ...as])
    assert.equal(status, 0, stderr)
    assert.deepEqual(await readFile(join(root, 'again.bin')), content)
    const shown = await run(['get', 'twin.txt', '-o', '-', ...as])
    assert.equal(shown.status, 1)
    const printed = await run(['get', twin.assetId, '-o', '-', ...as])
    world.proxy.tamper()
    assert.deepEqual([printed.status, printed.stdout, printed.stderr], [0, 'one', ''])
  })

  it('leaves no file of swapped bytes, says what to discard of standard output, and exits with 3', async () => {
    world.proxy.tamper({ matches: isDownload, answer: flipAt(2_400_000) })
    const toFile = await run(['get', big.assetId, '--to', 'there', ...as])
    assert.equal(toFile.status, 3, toFile.stderr)
    assert.match(toFile.stderr, /It does not open/)
    assert.deepEqual((await readdir(join(root, 'there', 'folder'))).sort(), ['big.bin'])
    const printed = await run(['get', big.assetId, '-o', '-', ...as])
    world.proxy.tamper()
    assert.equal(printed.status, 3)
    assert.match(printed.stderr, /Discard what was written/)
  })
})

describe('blindkeep rm', () => {
  it('asks, deletes, and says which file must be retained', async () => {
    const unasked = await run(['rm', twin.assetId, ...as])
    assert.deepEqual(
      [unasked.status, /Delete twin\.txt \(3 B\).*--yes/.test(unasked.stderr)],
      [2, true],
      unasked.stderr,
    )
    world.proxy.tamper({
      matches: isRequest('DELETE', new RegExp(`^/v1/assets/${big.assetId}$`)),
      request: ({ headers, body }) => ({ headers: { ...headers, authorization: '' }, body }),
      answer: ({ headers }) => ({
        headers: { ...headers, 'content-type': 'application/problem+json' },
        body: Buffer.from(JSON.stringify({ code: 'error.asset.retained' })),
        status: 409,
      }),
    })
    const outcome = await run(['rm', big.assetId, twin.assetId, '--yes', ...as])
    world.proxy.tamper()
    assert.equal(outcome.status, 1)
    assert.match(outcome.stdout, /twin\.txt is deleted/)
    assert.ok((await assetIdsOf(owner)).includes(big.assetId))
    assert.match(outcome.stderr, /big\.bin: It must be kept until/)
  })

  for (const isById of [true, false])
    it(`deletes the rest when it is repeated, and says when nothing is there, by ${isById ? 'id' : 'name'}`, async () => {
      const names = [`1 ${isById}`, `2 ${isById}`]
      const ids = [
        (await keep(names[0] ?? '', Buffer.from('1'))).assetId,
        (await keep(names[1] ?? '', Buffer.from('2'))).assetId,
      ]
      await owner.deleteAsset(ids[0] ?? '')
      const line = ['rm', ...(isById ? ids : names), '--yes', ...as]
      const repeated = await run(line)
      assert.equal(repeated.status, 0, repeated.stderr)
      assert.match(repeated.stderr, /1 of these files is not there any more/)
      assert.ok(!(await assetIdsOf(owner)).includes(ids[1] ?? ''))
      const again = await run(line)
      assert.deepEqual([again.status, again.stdout], [0, 'There is nothing left to delete.\n'], again.stderr)
      await owner.emptyBin()
      assert.equal((await run(line)).status, 1)
    })

  for (const isById of [true, false])
    it(`deletes nothing if one of them never was there, by ${isById ? 'id' : 'name'}`, async () => {
      const { assetId } = await keep(`present ${isById}`, Buffer.from('1'))
      const meant = isById ? [assetId, anotherId(assetId)] : [`present ${isById}`, 'mistyped']
      const outcome = await run(['rm', ...meant, '--yes', ...as])
      assert.deepEqual(
        [outcome.status, outcome.stderr.includes(`There is no file ${meant[1]}`)],
        [1, true],
        outcome.stderr,
      )
      assert.ok((await assetIdsOf(owner)).includes(assetId))
      await owner.deleteAsset(assetId)
    })
})

describe('blindkeep rm, by a name that a deleted file had', () => {
  it('says that a file whose name cannot be read may have it, too', async () => {
    await owner.deleteAsset((await keep('same.txt', Buffer.from('1'))).assetId)
    const present = await keep('same.txt', Buffer.from('2'))
    world.proxy.tamper({
      matches: blobAnswer(hashOf(present, 'metadata')),
      answer: ({ headers, body }) => ({ headers, body: body.subarray(1) }),
    })
    const outcome = await run(['rm', 'same.txt', '--yes', ...as])
    world.proxy.tamper()
    assert.match(outcome.stderr, /files? ha(s|ve) .*that cannot be read, and may be meant/)
    assert.ok((await assetIdsOf(owner)).includes(present.assetId))
    await owner.deleteAsset(present.assetId)
    await owner.emptyBin()
  })
})

describe('blindkeep album delete', () => {
  it('deletes an empty album, and one with files only when told so; a retained file is named and keeps the album', async () => {
    const empty = await owner.createAlbum({ name: 'Empty' })
    const full = await owner.createAlbum({ name: 'Full' })
    const kept = async (name: string) =>
      (await owner.upload({ source: sourceOfBytes(Buffer.from(name)), name, album: full.albumId, device })).assetId
    const [first, second] = [await kept('first.txt'), await kept('second.txt')]
    const unasked = await run(['album', 'delete', 'Empty', ...as])
    assert.deepEqual(
      [unasked.status, /Delete the album Empty, which is empty\?.*--yes/.test(unasked.stderr)],
      [2, true],
    )
    const [deleted] = await facts(['album', 'delete', 'Empty', '--yes', ...as])
    assert.deepEqual([deleted.event, deleted.album_id], ['album_deleted', empty.albumId])

    const refused = await run(['album', 'delete', 'Full', '--yes', ...as])
    assert.deepEqual(
      [refused.status, /has 2 files \(19 B\).*--with-files/.test(refused.stderr)],
      [1, true],
      refused.stderr,
    )
    world.proxy.tamper({
      matches: isRequest('DELETE', new RegExp(`^/v1/assets/${second}$`)),
      request: ({ headers, body }) => ({ headers: { ...headers, authorization: '' }, body }),
      answer: ({ headers }) => ({
        headers: { ...headers, 'content-type': 'application/problem+json' },
        body: Buffer.from(JSON.stringify({ code: 'error.asset.retained' })),
        status: 409,
      }),
    })
    const partly = await run(['album', 'delete', 'Full', '--with-files', '--yes', ...as])
    world.proxy.tamper()
    assert.equal(partly.status, 1)
    assert.match(partly.stderr, /second\.txt: It must be kept[\s\S]*the album Full stays/)
    assert.ok(!(await assetIdsOf(owner)).includes(first))
    const { status, stdout } = await run(['album', 'delete', 'Full', '--with-files', '--yes', ...as])
    assert.deepEqual([status, /The album Full is deleted/.test(stdout)], [0, true])
    assert.ok((await owner.albums()).every(({ albumId }) => albumId !== full.albumId))
  })
})
