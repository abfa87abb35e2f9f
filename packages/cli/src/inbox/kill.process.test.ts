/** `blindkeep inbox save` killed at its worst moments, and two of them at once. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { holding, isContentOf, openOffice } from '../testing/office.ts'
import { factsOf, finished, openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
const { root, run, start, facts } = world
const here = await openOffice(world, 'office')

const inFolder = async (folder: string) => (await readdir(join(root, folder))).sort()
/** Each test has a link of its own, and saves what came through it. */
async function dropped(content: Uint8Array, facts: { readonly name: string; readonly note?: string }) {
  const { url, opaqueId } = await here.owner.createLink()
  return { dropId: await here.drop(content, facts, url), link: opaqueId }
}
const saving = (link: string, folder: string, ...more: readonly string[]) => [
  ...['inbox', 'save', '--profile', here.profile, '--to', folder, '--link', link],
  ...more,
]

async function untilThere(path: string): Promise<void> {
  while (!existsSync(path)) await wait(5)
}

/** Kills a process when it asks for one of these system calls on a path. The call does not take place. */
const killingAt = (calls: string, path: string) => [
  ...['strace', '-f', '-o', '/dev/null', '-e', `trace=${calls}`, '-P', path],
  ...['-e', `inject=${calls}:error=EIO:signal=KILL`],
]
const canTrace = await promisify(execFile)('strace', [...killingAt('openat', '/none').slice(1), 'true']).then(
  () => true,
  () => false,
)

describe('blindkeep inbox save', () => {
  it('leaves no half file under a name when it is killed while bytes come, and starts over', async () => {
    const content = randomBytes(3_000_000)
    const { dropId, link } = await dropped(content, { name: 'big.bin' })
    const hold = holding(isContentOf(dropId), 2_000_000)
    world.proxy.tamper(hold)
    const child = start(saving(link, 'bytes'))
    const part = `.blindkeep-${dropId}.part`
    await hold.held
    await untilThere(join(root, 'bytes', part))
    assert.deepEqual(await inFolder('bytes'), [part])
    const second = await run(saving(link, 'bytes'))
    assert.equal(second.status, 1)
    assert.match(second.stderr, /Another process saves drops into .*bytes\. Wait for it, or stop it/)
    child.kill('SIGKILL')
    await once(child, 'close')
    assert.deepEqual(await inFolder('bytes'), [part])
    await facts(saving(link, 'bytes', '--discard'))
    assert.deepEqual(await inFolder('bytes'), ['big.bin'])
    assert.deepEqual(await readFile(join(root, 'bytes', 'big.bin')), content)
  })

  it('leaves nothing when Ctrl-C stops it while bytes come', async () => {
    const { dropId, link } = await dropped(randomBytes(3_000_000), { name: 'big.bin' })
    const hold = holding(isContentOf(dropId), 2_000_000)
    world.proxy.tamper(hold)
    const child = start(saving(link, 'stopped', '--json'))
    const ended = finished(child)
    await hold.held
    await untilThere(join(root, 'stopped', `.blindkeep-${dropId}.part`))
    child.kill('SIGINT')
    const outcome = await ended
    assert.equal(outcome.status, 130)
    assert.equal(factsOf(outcome).at(-1).event, 'stopped')
    assert.deepEqual(await inFolder('stopped'), [])
  })

  const moments = [
    ['before the file gets its name', '?link,linkat', 'a.txt'],
    ['before the part of the named file is removed', '?unlink,unlinkat', '.blindkeep-ID.part'],
    ['before its note is written, and the file noted', 'openat', '.blindkeep-note-ID.part'],
  ] as const
  for (const [moment, calls, file] of moments)
    it(`saves once when it is killed ${moment}`, { skip: canTrace ? false : 'needs strace' }, async () => {
      const content = randomBytes(100_000)
      const { dropId, link } = await dropped(content, { name: 'a.txt', note: 'once' })
      const folder = calls.replace('?', '')
      const path = join(root, folder)
      const under = killingAt(calls, join(path, file.replace('ID', dropId)))
      const killed = await finished(start(saving(link, folder, '--notes'), { under }))
      assert.notEqual(killed.status, 0)
      assert.ok(!(await inFolder(folder)).includes('a.txt.blindkeep-note.txt'))
      world.proxy.tamper({ matches: isContentOf(dropId), instead: 500 })
      const [saved] = await facts(saving(link, folder, '--notes', '--discard'))
      world.proxy.tamper()
      // From the bytes that the killed process had written.
      assert.deepEqual([saved.event, saved.path], ['saved', join(path, 'a.txt')])
      assert.deepEqual(await inFolder(folder), ['a.txt', 'a.txt.blindkeep-note.txt'])
      assert.deepEqual(await readFile(join(path, 'a.txt')), content)
    })

  it('gives the name to a file that was whole, also when its drop has left the inbox meanwhile', {
    skip: canTrace ? false : 'needs strace',
  }, async () => {
    const content = randomBytes(1000)
    const { dropId, link } = await dropped(content, { name: 'left.txt' })
    const under = killingAt('?link,linkat', join(root, 'left', 'left.txt'))
    await finished(start(saving(link, 'left'), { under }))
    await here.owner.discardDrop(dropId)
    await facts(saving(link, 'left'))
    assert.deepEqual(await readFile(join(root, 'left', 'left.txt')), content)
    assert.deepEqual(await inFolder('left'), ['left.txt'])
  })
})
