import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, createApp } from '../assembly/app.ts'
import type { Outcome } from '../cli/command.ts'
import { readConfig } from '../config/config.ts'
import { ask } from './http.ts'
import { runInProcess } from './inProcess.ts'
import { provedBody } from './provedBody.ts'

interface Beside {
  readonly app: App
  readonly env: Readonly<Record<string, string>>
  /** Runs a command in this process, beside the server: `['account list']`, `['account quota', 'ann@example.org']`. */
  run(name: string, ...argv: readonly string[]): Promise<Outcome>
  register(email: string): Promise<{ readonly accountId: string; readonly authorization: string }>
}

/** A running server, and commands beside it on the same data. */
export function besideServer(
  settings: Readonly<Record<string, string>>,
  work: (beside: Beside) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-beside-'))
    const env = { DATA_DIR: directory, LOG_LEVEL: 'silent', ...settings }
    const config = readConfig(env)
    assert.ok(!('faults' in config))
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const app = await createApp({ config, port: 8080, log, version: '0.0.0', onBroken: () => assert.fail() })
    try {
      await work({
        app,
        env,
        run: (...call) => runInProcess(call, env),
        async register(email) {
          const proving = { operation: 'register', serverId: 'http://127.0.0.1:8080', seed: randomBytes(32) } as const
          const payload = await provedBody((request) => ask(app.http, request), proving, { email })
          const answer = await ask(app.http, { method: 'POST', url: '/v1/auth/register', payload })
          const { account_id: accountId, access_token: token } = answer.json()
          return { accountId, authorization: `Bearer ${token}` }
        },
      })
    } finally {
      await app.close()
      await rm(directory, { recursive: true })
    }
  }
}
