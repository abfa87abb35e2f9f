/** `blindkeep find` as a process, against a real server. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openOffice } from '../testing/office.ts'
import { openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
const { root, run, facts } = world
const isNameRead = ({ path }: { readonly path: string }) => path.endsWith('/content')

describe('blindkeep find', () => {
  it('finds drops and kept files by words, sender, kind, date and size, and reads each name of a drop once', async () => {
    const office = await openOffice(world, 'finder')
    const as = ['--profile', office.profile]
    await office.drop(new Uint8Array(2000), { name: 'Rechnung Köln.pdf', sender: 'Ada' })
    await office.drop(new Uint8Array(10), { name: 'IMG_0500.heic', sender: 'Bob\u202E' })
    await writeFile(join(root, 'rechnung.txt'), 'paid')
    await run(['album', 'create', 'Taxes', ...as])
    assert.equal((await run(['upload', '--album', 'Taxes', 'rechnung.txt', ...as])).status, 0)
    const find = async (...more: readonly string[]) => (await facts(['find', ...more, ...as])).map(({ name }) => name)

    assert.deepEqual(await find('rechnung', '--sort', 'name'), ['Rechnung Köln.pdf', 'rechnung.txt'])
    assert.deepEqual(await find('KOLN', 'rech'), ['Rechnung Köln.pdf'])
    assert.deepEqual(await find('taxes'), ['rechnung.txt'])
    assert.deepEqual(await find('--kind', 'image'), ['IMG_0500.heic'])
    assert.deepEqual(await find('--from', 'ada'), ['Rechnung Köln.pdf'])
    assert.deepEqual(await find('--in', 'inbox', '--larger', '1kB'), ['Rechnung Köln.pdf'])
    assert.deepEqual(await find('--in', 'albums', '--since', '1h'), ['rechnung.txt'])
    assert.deepEqual(await find('--until', '2020-01-01'), [])
    assert.deepEqual(await find('--link', 'Front desk', '0500'), ['IMG_0500.heic'])

    const before = world.proxy.seen.filter(isNameRead).length
    assert.ok(before >= 2)
    assert.deepEqual(await find('nothing', 'of', 'that', '--in', 'inbox'), [])
    assert.equal(world.proxy.seen.filter(isNameRead).length, before)

    const { stdout } = await run(['find', '0500', ...as])
    assert.match(stdout, /inbox, Front desk +IMG_0500\.heic +Bob\uFFFD/)
    assert.match((await run(['find', 'nothing', ...as])).stdout, /Nothing matches/)
    await world.signUp('empty')
    assert.equal((await run(['find', '--profile', 'empty'])).stdout, 'There are no files.\n')
    for (const wrong of [
      ['--kind', 'x'],
      ['--since', 'x'],
      ['--sort', 'x'],
      ['--larger', 'x'],
    ])
      assert.equal((await run(['find', ...wrong, ...as])).status, 2)
  })

  it('has its filters and orders from one table, with ls and inbox list', async () => {
    const office = await openOffice(world, 'lister')
    const as = ['--profile', office.profile]
    const scans = await office.owner.createAlbum({ name: 'Scans' })
    for (const [name, bytes, sender] of [
      ['b.pdf', 2000, 'Ada'],
      ['a.heic', 10, 'Bob'],
      ['c.pdf', 30, 'Ada'],
    ] as const) {
      await office.drop(new Uint8Array(bytes), { name, sender })
      await office.drop(new Uint8Array(bytes), { name, sender })
    }
    await run(['inbox', 'list', ...as])
    const half = (await office.pending()).filter((_, index) => index % 2 === 0)
    assert.equal((await run(['inbox', 'adopt', ...half, '--album', 'Scans', ...as])).status, 0)
    const names = async (...line: readonly string[]) => (await facts([...line, ...as])).map(({ name }) => name)

    for (const line of [['ls', scans.albumId], ['ls'], ['inbox', 'list']]) {
      assert.deepEqual(await names(...line, '--sort', 'largest'), ['b.pdf', 'c.pdf', 'a.heic'])
      assert.deepEqual(await names(...line, '--sort', 'name', '--from', 'ada'), ['b.pdf', 'c.pdf'])
      assert.deepEqual(await names(...line, '--kind', 'image', '--since', '1h'), ['a.heic'])
      assert.deepEqual(await names(...line, '--larger', '20', '--smaller', '1kB'), ['c.pdf'])
      const none = await run([...line, '--until', '2020-01-01', ...as])
      assert.deepEqual([none.status, none.stdout], [0, 'Nothing matches.\n'])
      assert.equal((await run([...line, '--sort', 'x', ...as])).status, 2)
    }
    assert.deepEqual(await names('ls'), ['a.heic', 'b.pdf', 'c.pdf'])
    assert.deepEqual(await names('inbox', 'list'), ['b.pdf', 'a.heic', 'c.pdf'])
  })

  it('keeps the names sealed, makes a damaged index again, and keeps none with --no-index and after a sign-out', async () => {
    const office = await openOffice(world, 'sealer')
    const as = ['--profile', office.profile]
    await office.drop(new Uint8Array(10), { name: 'secret plan.pdf' })
    const path = join(root, 'home', 'profiles', office.profile, `names-${office.owner.accountId}.json`)
    const find = async (...more: readonly string[]) => (await facts(['find', 'plan', ...more, ...as])).length
    const kept = async () => await readFile(path, 'utf8').catch(() => undefined)

    assert.equal(await find(), 1)
    const sealed = await kept()
    // Base64 has neither spaces nor dots, but may have any three letters.
    assert.ok(sealed !== undefined && !/secret plan|\.pdf/.test(sealed), sealed)
    for (const damaged of ['', '{}', '["?"]', sealed.replace(/.{8}"\]$/, 'AAAAAAA="]'), sealed.slice(0, 99)]) {
      await writeFile(path, damaged)
      assert.equal(await find(), 1, damaged)
    }
    assert.equal(await find('--no-index'), 1)
    assert.equal(await kept(), undefined)
    assert.equal(await find(), 1)
    assert.ok((await kept()) !== undefined)
    await run(['logout', ...as])
    assert.equal(await kept(), undefined)
  })
})
