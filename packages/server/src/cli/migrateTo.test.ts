import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readConfig } from '../config/config.ts'
import { GIVEN } from '../testing/serverUse.ts'
import { defined } from '../testing/world.ts'
import { migrateToCommands } from './migrateTo.ts'

describe('blindkeep-server migrate-to', () => {
  it('warns of a password in its arguments, and of nothing else', async () => {
    const path = await mkdtemp(join(tmpdir(), 'blindkeep-migrate-'))
    try {
      const config = readConfig({ DATA_DIR: path })
      if ('faults' in config) assert.fail(config.faults.join())
      const said = async (databaseUrl: string) => {
        const lines: string[] = []
        const call = { config, settings: GIVEN, given: [databaseUrl, 'file:/nowhere'], option: () => undefined }
        const run = defined(migrateToCommands[0]).run({
          ...call,
          flag: () => false,
          tell: (line) => void lines.push(line),
        })
        // There is no server to move.
        await assert.rejects(run)
        return lines.filter((line) => line.startsWith('Warning: '))
      }
      assert.deepEqual(await said('postgres://user@127.0.0.1:1/data'), [])
      assert.deepEqual(await said('sqlite:/nowhere'), [])
      const warned = await said('postgres://user:secret@127.0.0.1:1/data')
      assert.equal(warned.length, 1)
      assert.match(warned.join(), /password.*PGPASSWORD/)
      assert.doesNotMatch(warned.join(), /secret/)
    } finally {
      await rm(path, { recursive: true })
    }
  })
})
