import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { LocalError } from '../ground/exits.ts'
import { durationText } from '../ground/texts.ts'
import { whileAlone } from './claims.ts'
import { hasTexts } from './damaged.ts'
import { homeDirectory, othersMayRead, readPrivate, writePrivate } from './files.ts'
import { openVault } from './vault.ts'

let home: string
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'blindkeep-home-'))
})
after(() => rm(home, { recursive: true, force: true }))

describe('the home of the command line', () => {
  it('is where the person says, otherwise where the system keeps settings', () => {
    assert.equal(homeDirectory({ BLINDKEEP_HOME: '/somewhere' }), '/somewhere')
    if (process.platform !== 'win32') assert.equal(homeDirectory({ XDG_CONFIG_HOME: '/config' }), '/config/blindkeep')
  })

  it('replaces a file in one step, for this user alone, and leaves no other', async () => {
    const path = join(home, 'replaced', 'file')
    assert.equal(await readPrivate(path), undefined)
    await writePrivate(path, 'one')
    await writePrivate(path, 'two')
    assert.equal(await readPrivate(path), 'two')
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.equal(await othersMayRead(path), false)
    // As a disk without rights shows it.
    await chmod(path, 0o755)
    assert.equal(await othersMayRead(path), true)
    assert.deepEqual(await readdir(join(home, 'replaced')), ['file'])
  })

  it('says before a sign-in if nothing can be kept', async () => {
    await writeFile(join(home, 'no-folder'), '')
    await assert.rejects(openVault({ directory: join(home, 'no-folder') }).prepare(), { code: 'ENOTDIR' })
    const directory = join(home, 'prepared')
    await openVault({ directory }).prepare()
    assert.deepEqual(await readdir(directory), [])
  })

  it('keeps values by their names, and forgets them', async () => {
    const vault = openVault({ directory: join(home, 'vault') })
    const is = (json: unknown): json is { email: string } => hasTexts(json, ['email'])
    const reading = { is, says: 'who is signed in', without: 'and sign in again' }
    assert.equal(await vault.read('account', reading), undefined)
    await vault.write('account', { email: 'a@example.org' })
    assert.deepEqual(await vault.read('account', reading), { email: 'a@example.org' })
    for (const damaged of ['', '{"email":"a@ex', '\0\0\0', 'null', '[]', '{"email":1}']) {
      await writeFile(join(home, 'vault', 'account.json'), damaged)
      await assert.rejects(vault.read('account', reading), /account\.json is damaged: it says who is signed in\./)
    }
    await vault.remove('account')
    assert.equal(await vault.read('account', reading), undefined)
  })
})

const claim = (name: string) => ({ home, path: join(home, 'claimed', name), doing: 'sends this file' })
const claimsOf = async (name: string) =>
  (await readdir(join(home, 'claimed'))).filter((file) => file.startsWith(`${name}.`))

/** A process that holds a claim until it is killed. */
async function holder(name: string) {
  const script = `
    const { whileAlone } = await import(${JSON.stringify(new URL('./claims.ts', import.meta.url).href)})
    await whileAlone(${JSON.stringify(claim(name))}, () => new Promise(() => { console.log('claimed'); setInterval(() => {}, 1000) }))`
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  assert.ok(child.stdout)
  await once(child.stdout, 'data')
  return child
}

describe('a claim', () => {
  it('keeps a second process out while the first one runs, and is void when it was killed', async () => {
    const child = await holder('killed')
    await assert.rejects(
      whileAlone(claim('killed'), async () => 'ran'),
      LocalError,
    )
    child.kill('SIGKILL')
    await once(child, 'close')
    assert.equal(await whileAlone(claim('killed'), async () => 'ran'), 'ran')
    assert.deepEqual(await claimsOf('killed'), [])
  })

  it('is waited for as long as asked', async () => {
    const child = await holder('waited')
    const waiting = whileAlone({ ...claim('waited'), waitMs: 60_000 }, async () => 'ran')
    child.kill('SIGKILL')
    assert.equal(await waiting, 'ran')
  })

  it('of an ended process is replaced by one of many alone', async () => {
    let inside = 0
    let most = 0
    const once = (name: string) =>
      whileAlone({ ...claim(name), waitMs: 60_000 }, async () => {
        inside += 1
        most = Math.max(most, inside)
        await new Promise((resolve) => setImmediate(resolve))
        inside -= 1
      })
    const left = `${claim('many').path}.claimed`
    await mkdir(left, { recursive: true })
    await writeFile(join(left, randomUUID()), '')
    await Promise.all(Array.from({ length: 20 }, () => once('many')))
    assert.equal(most, 1)
  })

  it('are taken over many at once when the process that had them has ended', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `left ${index}`)
    for (const name of names) {
      await mkdir(`${claim(name).path}.claimed`, { recursive: true })
      await writeFile(join(`${claim(name).path}.claimed`, randomUUID()), '')
    }
    const all = await Promise.all(names.map((name) => whileAlone(claim(name), async () => 'ran')))
    assert.deepEqual(new Set(all), new Set(['ran']))
  })

  it('names its process while it is held, and goes also after a failure', async () => {
    const failing = whileAlone(claim('failing'), async () => {
      assert.match(String(await readdir(`${claim('failing').path}.claimed`)), /^[0-9a-f-]{36}$/)
      throw new Error('broken')
    })
    await assert.rejects(failing, /broken/)
    assert.deepEqual(await claimsOf('failing'), [])
  })
})

describe('a text on the terminal', () => {
  it('says how long something takes', () => {
    assert.deepEqual([0.2, 99.5, 100, 5999, 6000, 7200, 604_500, 604_790].map(durationText), [
      '1 s',
      '100 s',
      '2 min',
      '1 h 40 min',
      '1 h 40 min',
      '2 h',
      '6 days 23 h',
      '7 days',
    ])
  })
})
