/**
 * An office and its guest, with the packed program: 120 small files in nested folders and a large one, while the line
 * is cut three times, and the guest's program, the server and, twice, the office's program are killed. `LARGE_BYTES`:
 * the size of the large file. Then, undisturbed, a file whose size and last positions need more than 31 bits.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { installPacked, type Packed } from '../../../testing/packed.ts'
import { freePort, type RunningServer, startServer } from '../../../testing/startServer.ts'
import { type Line, startLine } from './line.ts'

const MEBIBYTE = 1024 * 1024
const LARGE_BYTES = Number(process.env.LARGE_BYTES ?? 64 * MEBIBYTE)
/** Small, so that the large file has many. */
const CHUNK_BYTES = MEBIBYTE / 4
const BEYOND_BYTES = 2 ** 31 + MEBIBYTE + 1
const SMALL_FILES = 120
/** Fewer than files, as those that have landed do not count. */
const LINK_SESSIONS_PER_WINDOW = 60
/** With the killed ones. */
const MAX_DROP_CALLS = 10
const MAX_MS = 20 * 60_000
const LOOK_MS = 200

const run = promisify(execFile)

let packed: Packed
let server: RunningServer
let line: Line
before(async () => {
  packed = await installPacked()
  // The line is the server's address, so it has one before the server runs.
  const port = await freePort()
  line = await startLine(() => `http://127.0.0.1:${port}`)
  const env = {
    CHUNK_BYTES_SUGGESTED: String(CHUNK_BYTES),
    LINK_SESSIONS_PER_WINDOW: String(LINK_SESSIONS_PER_WINDOW),
  }
  server = await startServer({ port, publicUrl: line.url, env })
})
after(async () => {
  await line?.cut()
  await server?.stop()
  await packed?.remove()
})

const env = (home: string) => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  BLINDKEEP_HOME: join(packed.directory, home),
  BLINDKEEP_PASSWORD: 'correct horse battery',
})

function start(home: string, args: readonly string[]): ChildProcess {
  // A group of its own: the program that npm has linked starts Node, and a kill is for both.
  return spawn(join(packed.programs, 'blindkeep'), args, {
    cwd: packed.directory,
    env: env(home),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  const closed = once(child, 'close')
  process.kill(-child.pid, 'SIGKILL')
  await closed
}

const call = async (home: string, ...args: readonly string[]) =>
  (await run(join(packed.programs, 'blindkeep'), args, { cwd: packed.directory, env: env(home) })).stdout

/** Registers, and creates a link without a bound. */
async function openLink(home: string, address: string): Promise<string> {
  await call(home, 'register', address, '--email', 'office@example.org')
  return JSON.parse(await call(home, 'link', 'create', '--label', 'scans', '--max-total', 'unlimited', '--json')).url
}

/** The paths of files below `folder`, without what the program adds. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !/\.blindkeep-receipt\.json$|\.part$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

async function makeFiles(folder: string): Promise<void> {
  for (let number = 0; number < SMALL_FILES; number += 1) {
    const place = join(folder, `year ${number % 5}`, `month ${number % 12}`)
    await mkdir(place, { recursive: true })
    await writeFile(join(place, `scan ${number}.pdf`), randomBytes(1 + ((number * 97) % 40_000)))
  }
  await makeLarge(join(folder, 'large.mov'), LARGE_BYTES)
}

/** Mostly a hole, with its position in each mebibyte, so that none is in the place of another unnoticed. */
async function makeLarge(path: string, bytes: number): Promise<void> {
  const large = await open(path, 'w')
  await large.truncate(bytes)
  for (let at = 0; at < bytes; at += MEBIBYTE) await large.write(`${at}`.slice(0, bytes - at), at)
  await large.close()
}

async function until(reached: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const endsAt = performance.now() + MAX_MS; !(await reached()); await wait(LOOK_MS))
    assert.ok(performance.now() < endsAt, `${what} was not reached`)
}

it('brings every byte once to its place, whatever is cut and killed on the way', { timeout: MAX_MS }, async () => {
  const sent = join(packed.directory, 'sent')
  const saved = join(packed.directory, 'saved')
  await makeFiles(sent)
  await mkdir(saved)
  const url = await openLink('owner', line.url)

  const watching = () => start('owner', ['inbox', 'watch', '--save', saved, '--quiet'])
  let watch = watching()
  let output = ''
  let drop = start('guest', ['drop', url, 'sent', '--quiet'])
  const events = disturbances({
    cutLine: async () => {
      await line.cut()
      await wait(1_000)
      await line.mend()
    },
    killGuest: () => kill(drop),
    killServer: () => server.restart(),
    killOffice: async () => {
      await kill(watch)
      watch = watching()
    },
  })
  for (let calls = 1; ; calls += 1) {
    const closed = once(drop, 'close')
    drop.stderr?.on('data', (text) => {
      output += text
    })
    drop.stdout?.resume()
    const isOver = closed.then(() => true)
    while (!(await Promise.race([isOver, wait(LOOK_MS, false)]))) await events.next(line.acknowledged())
    if (drop.exitCode === 0) break
    assert.ok(calls < MAX_DROP_CALLS, output)
    drop = start('guest', ['drop', url, 'sent', '--quiet'])
  }
  assert.equal(events.left(), 0, 'all disturbances happened while files were on their way')
  const files = await filesIn(sent)
  await until(async () => (await filesIn(saved)).length === files.length, 'the last file in the office')
  await kill(watch)
  assert.deepEqual(await filesIn(join(saved, 'sent')), files)
  await run('diff', ['-rq', ...['-x', '*.blindkeep-receipt.json', '-x', '*.part'], sent, join(saved, 'sent')])
  assert.deepEqual(line.sentTwice(), [])

  const receipts = (await readdir(sent, { recursive: true })).filter((name) => name.endsWith('.blindkeep-receipt.json'))
  assert.equal(receipts.length, files.length)
  for (const name of receipts) assert.ok(JSON.parse(await readFile(join(sent, name), 'utf8')).receipt_cbor)
  const { status, stdout } = await server.command(['fsck'])
  assert.equal(status, 0, stdout)
})

it('brings a file of more than 2 GiB, byte for byte', { timeout: MAX_MS }, async (t) => {
  const other = await startServer()
  t.after(() => other.stop())
  const url = await openLink('other', other.url)
  const sent = join(packed.directory, 'beyond.mov')
  await makeLarge(sent, BEYOND_BYTES)
  await call('guest', 'drop', url, sent)
  await call('other', 'inbox', 'save', '--all', '--to', 'other saved')
  await run('cmp', [sent, join(packed.directory, 'other saved', 'beyond.mov')])
})

interface Disturbing {
  readonly cutLine: () => Promise<void>
  readonly killGuest: () => Promise<void>
  readonly killServer: () => Promise<void>
  readonly killOffice: () => Promise<void>
}

/** Each happens once as many chunks have been acknowledged. */
function disturbances({ cutLine, killGuest, killServer, killOffice }: Disturbing) {
  const plan = [cutLine, killOffice, killServer, cutLine, killGuest, killOffice, cutLine]
  const chunks = SMALL_FILES + Math.ceil(LARGE_BYTES / CHUNK_BYTES)
  const planned = plan.map((disturb, index) => ({ after: (chunks * (index + 1)) / (plan.length + 2), disturb }))
  return {
    left: () => planned.length,
    async next(acknowledged: number): Promise<void> {
      const [first] = planned
      if (first === undefined || acknowledged < first.after) return
      planned.shift()
      await first.disturb()
    },
  }
}
