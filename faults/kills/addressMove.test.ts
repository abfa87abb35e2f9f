/**
 * `move`, killed right before system calls that reach the disk: it has happened, or it has not. Of calls that write to
 * one file without a pause it is killed before the first and the last: between them the file has no commit.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import { runInProcess } from '../../packages/server/src/testing/inProcess.ts'
import { CLI } from '../../testing/command.ts'
import { newOwner, sendFile } from '../../testing/people.ts'
import { startServer } from '../../testing/startServer.ts'
import { DURABLE, straceMissing } from './syscalls.ts'

const TO = 'https://drop.example.org'
const COPY = 'blindkeep.sqlite.migration-12.before-0.0.9'
const MAX_MS = 120_000
const AT_ONCE = 4

interface Point {
  readonly call: string
  /** Counts a thread's calls of that name. */
  readonly number: number
}

it('a move that is killed before a durable call has happened or has not, and goes on from there', {
  skip: straceMissing(),
}, async (t) => {
  const server = await startServer()
  t.after(() => server.stop())
  const owner = await newOwner(server.url)
  await sendFile((await owner.createLink({})).url, new Uint8Array(100))
  await server.terminate()
  await writeFile(join(server.dataDir, COPY), 'of an upgrade')
  const masterSecret = join(server.dataDir, '..', 'master.secret')

  const inCopy = async <Result>(work: (copy: Copy) => Promise<Result>): Promise<Result> => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-moved-'))
    try {
      const dataDir = join(directory, 'data')
      await cp(server.dataDir, dataDir, { recursive: true })
      return await work(copyOf(dataDir, masterSecret))
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }
  const points = await inCopy(async ({ dataDir, traced }) => {
    const calls = join(dataDir, '..', 'calls')
    assert.equal(await traced(['-y', '-o', calls]), 0)
    return pointsIn(await readFile(calls, 'utf8'))
  })
  const after = { before: 0, moved: 0, missed: 0 }
  await forEachConcurrently(points, AT_ONCE, ({ call, number }) =>
    inCopy(async (copy) => {
      const status = await copy.traced(['-e', `inject=${call}:signal=SIGKILL:when=${number}`, '-o', '/dev/null'])
      const name = copy.name()
      const place = `${call} ${number}`
      if (status !== null) after.missed += 1
      else if (name === TO) after.moved += 1
      else after.before += 1
      assert.ok(name === TO || name === server.url, `${place}: ${name}`)
      assert.ok(name !== TO || existsSync(join(copy.dataDir, `${COPY}.outdated`)), `${place}: a copy leads back`)
      const again = await copy.command('move', '--yes', '--unchecked')
      assert.partialDeepStrictEqual(again.json, { moved: name !== TO }, place)
      const { isWrong, lines } = await copy.command('fsck')
      assert.ok(isWrong !== true, `${place}: ${lines.join('\n')}`)
    }),
  )
  t.diagnostic(`${points.length} calls; killed before the move ${after.before}, after it ${after.moved}`)
  assert.ok(after.before > 0 && after.missed < points.length / 4, JSON.stringify(after))
})

/** With the number of the thread that makes most of them: a smaller number is one of another thread, too. */
function pointsIn(trace: string): readonly Point[] {
  const numbers = new Map<string, number>()
  const calls = [...trace.matchAll(/^(\d+) +(\w+)\((\S+?)[,)]/gm)].map(([made = '', id, call = '']) => {
    const number = (numbers.get(`${id} ${call}`) ?? 0) + 1
    numbers.set(`${id} ${call}`, number)
    return { made, call, number }
  })
  const ends = calls.filter(({ made }, at) => made !== calls[at - 1]?.made || made !== calls[at + 1]?.made)
  return [...new Map(ends.map(({ call, number }) => [`${call} ${number}`, { call, number }])).values()]
}

type Copy = ReturnType<typeof copyOf>

function copyOf(dataDir: string, masterSecret: string) {
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, MASTER_SECRET_FILE: masterSecret, PUBLIC_URL: TO }
  const move = ['--disable-warning=ExperimentalWarning', CLI, 'move', '--yes', '--unchecked']
  return {
    dataDir,
    /** Null if it was killed. */
    traced: (options: readonly string[]) =>
      new Promise<number | null>((resolve) => {
        const command = ['-f', '-e', `trace=${DURABLE.join()}`, ...options, process.execPath, ...move]
        const child = execFile('strace', command, { env, timeout: MAX_MS }, () =>
          // It kills itself as its program was killed.
          resolve(child.signalCode === null ? child.exitCode : null),
        )
      }),
    command: (...argv: readonly string[]) => runInProcess(argv, env),
    name() {
      const database = new DatabaseSync(join(dataDir, 'blindkeep.sqlite'))
      try {
        const row = database.prepare("select value from server_facts where name = 'server_id'").get()
        return Buffer.from((row?.value ?? []) as Uint8Array).toString()
      } finally {
        database.close()
      }
    },
  }
}
