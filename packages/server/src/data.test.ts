import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readConfig } from './config.ts'
import { openServerData } from './data.ts'
import { USE } from './testing/serverUse.ts'

describe('the data of a server', () => {
  it('is not opened after an interrupted restore', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-data-'))
    try {
      const config = readConfig({ DATA_DIR: directory })
      assert.ok(!('faults' in config))
      await writeFile(join(directory, 'blindkeep.sqlite.restoring'), 'half')
      for (const _ of [1, 2]) await assert.rejects(openServerData(config, USE), /a restore into .* was interrupted/)
      assert.deepEqual((await readdir(directory)).toSorted(), ['blindkeep.sqlite.restoring', 'server.lock'])
      await rm(join(directory, 'blindkeep.sqlite.restoring'))
      await (await openServerData(config, USE)).close()
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
