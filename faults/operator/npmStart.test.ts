/** The server under npm: the signal reaches npm alone, and version and shell decide what follows. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { lockDirectory } from '../../packages/server/src/adapters/sql/sqlite/directoryLock.ts'
import { freePort } from '../../testing/startServer.ts'
import { until } from '../../testing/until.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
/** `npm start` first builds what has changed. */
const MAX_STARTS_MS = 180_000

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'blindkeep-npm-'))
})
after(() => rm(root, { recursive: true, force: true }))

for (const [command, signal] of [
  [['npm', 'start'], 'SIGTERM'],
  [['npm', 'start'], 'SIGKILL'],
  [['npx', 'blindkeep-server', 'serve'], 'SIGTERM'],
] as const)
  it(`\`${command.join(' ')}\` leaves no server behind after ${signal}, and its data can be opened`, async () => {
    const port = await freePort()
    const directory = join(root, `${command[0]} ${signal}`)
    const env = { ...process.env, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: directory }
    const [program, ...options] = command
    const npm = spawn(program, options, { cwd: PROJECT, env, stdio: ['ignore', 'ignore', 'pipe'] })
    const closed = once(npm, 'exit')
    let log = ''
    npm.stderr.setEncoding('utf8').on('data', (text) => {
      log += text
    })
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(answers, () => `the server starts: ${log}`, MAX_STARTS_MS)
    npm.kill(signal)
    await closed
    await until(async () => !(await answers()), 'no server goes on without npm')
    const isUnlocked = () =>
      lockDirectory(directory).then(
        (lock) => {
          lock.release()
          return true
        },
        () => false,
      )
    await until(isUnlocked, 'no process keeps the lock')
  })
