/** `blindkeep get --zip` as a process, against a real server behind a proxy that cuts and lies. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import { blobAnswer, hashOf } from '../../../../testing/maliciousAssets.ts'
import { flipAt } from '../../../../testing/maliciousServer.ts'
import { unzipped, whyNoUnzip } from '../../../../testing/unzipped.ts'
import { newCliKeeper } from '../testing/keeper.ts'
import { holding } from '../testing/office.ts'
import { openSharedWorld } from '../testing/world.ts'

const skip = (await whyNoUnzip()) ?? false
const world = await openSharedWorld()
const { run, start, facts, root } = world
const { owner, album, as } = await newCliKeeper(world, 'ada')
const device = await owner.addDevice(undefined, { tie: false })

async function keep(name: string, bytes: Uint8Array) {
  const { assetId } = await owner.upload({ source: sourceOfBytes(bytes), name, album: album.albumId, device })
  return await owner.asset(assetId)
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const content = randomBytes(2_500_000)
const big = await keep('folder/big.bin', content)
const first = await keep('twin.txt', Buffer.from('one'))
await keep('../TWIN.txt', Buffer.from('two'))
const isDownload = blobAnswer(hashOf(big, 'original'))

describe('blindkeep get --zip', { skip }, () => {
  it('saves a whole album under safe and unique names, to a file and to standard output', async () => {
    const events = await facts(['get', '--album', 'Scans', '--zip', 'scans.zip', ...as])
    const expected = {
      'folder/big.bin': sha256(content),
      'twin.txt': sha256(Buffer.from('one')),
      'TWIN (2).txt': sha256(Buffer.from('two')),
    }
    const zip = await readFile(join(root, 'scans.zip'))
    const files = await unzipped(zip)
    assert.deepEqual(Object.fromEntries(files.map(({ name, hash }) => [name, hash])), expected)
    assert.deepEqual(
      events.map(({ event, name, entry, path }) => [event, name, entry, path]),
      [
        ['saved', 'folder/big.bin', 'folder/big.bin', 'scans.zip'],
        ['saved', 'twin.txt', 'twin.txt', 'scans.zip'],
        ['saved', '../TWIN.txt', 'TWIN (2).txt', 'scans.zip'],
        ['zipped', undefined, undefined, 'scans.zip'],
      ],
    )
    assert.deepEqual([events.at(-1).files, events.at(-1).size], [3, zip.length])

    const child = start(['get', first.assetId, big.assetId, '--zip', '-', ...as])
    const printed: Buffer[] = []
    child.stdout?.on('data', (piece: Buffer) => printed.push(piece))
    await once(child, 'close')
    assert.equal(child.exitCode, 0)
    assert.deepEqual(
      (await unzipped(Buffer.concat(printed))).map(({ name }) => name),
      ['twin.txt', 'folder/big.bin'],
    )
  })

  it('leaves out what cannot be opened, and exits with 1', async () => {
    world.proxy.tamper({ matches: blobAnswer(hashOf(first, 'original')), instead: 404 })
    const { status, stdout, stderr } = await run(['get', '--album', 'Scans', '--zip', 'rest.zip', ...as])
    const none = await run(['get', first.assetId, '--zip', 'none.zip', ...as])
    world.proxy.tamper()
    assert.equal(status, 1, stderr)
    assert.match(stderr, /twin\.txt: /)
    assert.match(stdout, /^2 files \(2\.5 MB\) are saved as rest\.zip\.$/m)
    const names = (await unzipped(await readFile(join(root, 'rest.zip')))).map(({ name }) => name)
    assert.deepEqual(names, ['folder/big.bin', 'TWIN (2).txt'])
    assert.deepEqual([none.status, /none\.zip: None of the files can be opened\./.test(none.stderr)], [1, true])
    assert.ok(!(await readdir(root)).some((name) => name.includes('none.zip') || name.endsWith('.part')))
  })

  it('has no name before it is whole: not of altered bytes, after Ctrl-C or a kill; and replaces none unasked', async () => {
    await writeFile(join(root, 'mine.zip'), 'mine')
    const line = ['get', big.assetId, '--zip', 'mine.zip', ...as]
    assert.equal((await run(line)).status, 2)
    world.proxy.tamper({ matches: isDownload, answer: flipAt(2_400_000) })
    const altered = await run([...line, '--yes'])
    const printed = await run(['get', big.assetId, '--zip', '-', ...as])
    world.proxy.tamper()
    assert.equal(altered.status, 3, altered.stderr)
    assert.match(altered.stderr, /folder\/big\.bin: It does not open.* Nothing is saved as mine\.zip\./)
    assert.equal(printed.status, 3)
    assert.match(printed.stderr, /folder\/big\.bin: .*Discard what was written/)
    for (const [signal, status] of [
      ['SIGINT', 130],
      ['SIGKILL', null],
    ] as const) {
      const hold = holding(isDownload, 2_000_000)
      world.proxy.tamper(hold)
      const child = start([...line, '--yes'])
      assert.ok(child.stderr)
      const said = text(child.stderr)
      await hold.held
      child.kill(signal)
      await once(child, 'close')
      world.proxy.tamper()
      assert.equal(child.exitCode, status, await said)
      assert.equal(await readFile(join(root, 'mine.zip'), 'utf8'), 'mine')
    }
    await facts([...line, '--yes'])
    const [file] = await unzipped(await readFile(join(root, 'mine.zip')))
    assert.deepEqual([file?.name, file?.hash], ['folder/big.bin', sha256(content)])
    assert.ok(!(await readdir(root)).some((name) => name.endsWith('.part')))
  })

  it('takes one place, and files or an album', async () => {
    for (const wrong of [
      ['a', '--zip', 'x', '--to', 'y'],
      ['a', '--zip', 'x', '-o', 'y'],
      ['a', '--zip', '-', '--json'],
      ['--zip', 'x'],
      ['a', '--album', 'Scans', '--zip', 'x'],
      ['--album', 'Scans', '-o', 'x'],
    ])
      assert.equal((await run(['get', ...wrong, ...as])).status, 2, wrong.join(' '))
  })
})
