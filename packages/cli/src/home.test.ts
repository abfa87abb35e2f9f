import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { LocalError } from './exits.ts'
import { homeDirectory, readPrivate, whileAlone, writePrivate } from './home.ts'
import { durationText, shown } from './texts.ts'

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'blindkeep-home-'))
})
after(() => rm(root, { recursive: true, force: true }))

describe('the home of the command line', () => {
  it('is where the person says, otherwise where the system keeps settings', () => {
    assert.equal(homeDirectory({ BLINDKEEP_HOME: '/somewhere' }), '/somewhere')
    if (process.platform !== 'win32') assert.equal(homeDirectory({ XDG_CONFIG_HOME: '/config' }), '/config/blindkeep')
  })

  it('replaces a file in one step, and leaves no other', async () => {
    const path = join(root, 'replaced', 'file')
    assert.equal(await readPrivate(path), undefined)
    await writePrivate(path, 'one')
    await writePrivate(path, 'two')
    assert.equal(await readPrivate(path), 'two')
    assert.deepEqual(await readdir(join(root, 'replaced')), ['file'])
  })
})

describe('the lock of a record', () => {
  it('keeps a second process out while the first one runs, and is void when it has ended', async () => {
    const path = join(root, 'record')
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' })
    await writeFile(`${path}.lock`, String(child.pid))
    await assert.rejects(
      whileAlone(path, async () => 'ran'),
      LocalError,
    )
    child.kill('SIGKILL')
    await once(child, 'close')
    assert.equal(await whileAlone(path, async () => 'ran'), 'ran')
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.startsWith('record')),
      [],
    )
  })

  it('has the id of its process while it is held, and goes also after a failure', async () => {
    const path = join(root, 'failing')
    const failing = whileAlone(path, async () => {
      assert.equal(await readFile(`${path}.lock`, 'utf8'), String(process.pid))
      throw new Error('broken')
    })
    await assert.rejects(failing, /broken/)
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.startsWith('failing')),
      [],
    )
  })
})

describe('a text on the terminal', () => {
  it('moves no cursor and turns no direction', () => {
    assert.equal(shown('a\u001b[31mb\r\u202Efdp.exe'), 'a\uFFFD[31mb\uFFFD\uFFFDfdp.exe')
  })

  it('says how long something takes', () => {
    assert.deepEqual([0.2, 99.5, 100, 5999, 6000].map(durationText), [
      '1 s',
      '100 s',
      '2 min',
      '1 h 40 min',
      '1 h 40 min',
    ])
  })
})
