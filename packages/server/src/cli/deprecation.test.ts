import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseProtocolVersion } from '@blindkeep/protocol/ids'
import type { ProtocolWindow } from '@blindkeep/protocol/window'
import { openSqliteStore } from '../adapters/sql/sqlite/store.ts'
import { readConfig } from '../config/config.ts'
import { settleWindow } from '../domain/discovery/protocolWindow.ts'
import { runInProcess } from '../testing/inProcess.ts'
import { defined } from '../testing/world.ts'
import { type Outcome, UsageError } from './command.ts'

type Run = (name: 'announce' | 'list', ...argv: readonly string[]) => Promise<Outcome>

const date = (text: string) => defined(parseProtocolVersion(text))
const WINDOW = { min: date('2026-01-01'), max: date('2026-11-01') }

/** Commands in this process, on the database of a stopped server with this window. */
function overDatabase(
  work: (run: Run) => Promise<void>,
  { window }: { readonly window?: ProtocolWindow } = { window: WINDOW },
) {
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-deprecation-'))
    const environment = { DATA_DIR: directory }
    const config = readConfig(environment)
    assert.ok(!('faults' in config))
    assert.ok(config.database.kind === 'sqlite')
    const store = await openSqliteStore({ path: config.database.path })
    if (window !== undefined) await settleWindow(store, window)
    await store.close()
    try {
      const yes = (name: string) => (name === 'announce' ? ['--yes'] : [])
      await work((name, ...argv) => runInProcess([`deprecation ${name}`, ...argv, ...yes(name)], environment))
    } finally {
      await rm(directory, { recursive: true })
    }
  }
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

describe('the commands of deprecations', () => {
  it(
    'announce, and list the announcements in their order',
    overDatabase(async (run) => {
      assert.deepEqual(await run('list'), { lines: ['There are no announcements.'], json: { announcements: [] } })
      const [soon, late] = [inDays(91), inDays(200)]
      const first = await run('announce', '--min-version', '2026-03-01', '--cutoff', soon)
      const second = await run(
        ...(['announce', '--min-version', '2026-06-01', '--cutoff', late] as const),
        ...['--detail-url', 'https://keep.example/news'],
      )
      assert.match(String(first.lines[1]), new RegExp(`^versions below 2026-03-01 until ${soon}, announced 20`))
      const listed = await run('list')
      assert.deepEqual(listed.json, { announcements: [first.json, second.json] })
      assert.match(String(listed.lines[1]), /see https:\/\/keep\.example\/news$/)
    }),
  )

  it(
    'say what is wrong with a call, and why an announcement is refused',
    overDatabase(async (run) => {
      const announce = (...argv: readonly string[]) => run('announce', ...argv)
      const cutoff = inDays(91)
      for (const argv of [
        [],
        ['--cutoff', cutoff],
        ['--min-version', '2026-02-30', '--cutoff', cutoff],
        ['--min-version', '2026-03-01'],
        ['--min-version', '2026-03-01', '--cutoff', 'tomorrow'],
      ])
        await assert.rejects(announce(...argv), UsageError)
      await assert.rejects(announce('--min-version', '2026-03-01', '--cutoff', inDays(89)), /DEPRECATION_LEAD_DAYS/)
      await assert.rejects(announce('--min-version', '2027-03-01', '--cutoff', cutoff), /PROTOCOL_MAX/)
      assert.deepEqual((await run('list')).json, { announcements: [] })
    }),
  )

  it(
    'use the window of the server, not the environment of the command',
    overDatabase(
      async (run) => {
        const announce = (version: string) => run('announce', '--min-version', version, '--cutoff', inDays(91))
        await assert.rejects(announce('2026-03-02'), /newest protocol version of the server is 2026-03-01/)
        await announce('2026-03-01')
      },
      { window: { ...WINDOW, max: date('2026-03-01') } },
    ),
  )

  it(
    'announce nothing before the first start of a server',
    overDatabase(async (run) => {
      await assert.rejects(
        run('announce', '--min-version', '2026-03-01', '--cutoff', inDays(91)),
        /no server has started/,
      )
    }, {}),
  )
})
