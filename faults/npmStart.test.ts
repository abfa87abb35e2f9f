/** `npm start` as a supervisor runs it: the signal reaches npm alone. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../testing/startServer.ts'
import { pause } from './api.ts'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const MAX_STARTS_MS = 60_000

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'blindkeep-npm-'))
})
after(() => rm(root, { recursive: true, force: true }))

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

it('`npm start` ends its server cleanly on SIGTERM, and leaves no process behind', async () => {
  const port = await freePort()
  const env = { ...process.env, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: join(root, 'data') }
  const npm = spawn('npm', ['start'], { cwd: PROJECT, env, stdio: 'ignore' })
  const closed = once(npm, 'close')
  const url = `http://127.0.0.1:${port}/readyz`
  const giveUpAt = Date.now() + MAX_STARTS_MS
  while (!(await answers(url))) {
    assert.ok(Date.now() < giveUpAt, 'the server did not start')
    await pause(100)
  }
  npm.kill('SIGTERM')
  await closed
  await pause(500)
  assert.equal(await answers(url), false, 'a server goes on without npm')
})
